"""One name for a kernel: each kind of container with each kind of name, from the table of all interfaces."""

import json

import pytest
from conftest import ROOT

import zeview

FIXTURES = ROOT / "tests/fixtures/naming"
CASES = json.loads((FIXTURES / "cases.json").read_text())


def label(case):
    return f"{case['file']} {case['way']}"


@pytest.mark.parametrize("case", CASES, ids=label)
def test_a_kernel_has_any_name(case):
    with zeview.open(FIXTURES / case["file"]) as document:
        if case["finds"] is None:
            with pytest.raises(zeview.Error, match="did you mean") as raised:
                document.kernel(case["name"])
            assert raised.value.code == "no-kernel"
            assert case["suggests"] in str(raised.value)
            return
        if case["builds"] > 1:
            with pytest.raises(zeview.Error, match="bmg-g21") as raised:
                document.kernel(case["name"])
            assert raised.value.code == "several-kernels"
        options = case["options"]
        row = document.kernel(case["name"], **options)
        assert row.name == case["finds"]
        if not case["has_code"]:
            with pytest.raises(zeview.Error) as raised:
                document.disassemble(case["name"], **options)
            assert raised.value.code == "no-code"
            return
        code = document.disassemble(case["name"], **options)
        assert code and code == document.disassemble(row)
        assert document.analyze(case["name"], **options).instructions > 0
        assert document.instructions(case["name"], **options)


@pytest.mark.parametrize("file", ["kernels.whl", "kernels.so", "folder"])
def test_answers_do_not_depend_on_earlier_calls(file):
    def answers(document):
        found = []
        for case in CASES[:5]:
            try:
                found.append(document.kernel(case["name"]).path)
            except zeview.Error as error:
                found.append((error.code, str(error)))
        return found

    with zeview.open(FIXTURES / file) as fresh, zeview.open(FIXTURES / file) as used:
        used.kernels()
        assert answers(fresh) == answers(used)


def test_unknown_columns_have_suggestions():
    with zeview.open(FIXTURES / "kernels.zebin") as document:
        with pytest.raises(zeview.Error, match='did you mean "instructions"') as raised:
            document.kernel("copy", columns=["instruction"])
        assert raised.value.code == "no-column"
        assert document.kernel("copy", columns=["instructions"]).instructions > 0


def test_parts_have_the_paths_of_tables():
    with zeview.open(FIXTURES / "kernels.whl") as document:
        library = (FIXTURES / "folder/lib/one.so").read_bytes()
        assert document.extract("lib/one.so") == library


@pytest.mark.parametrize("file", ["kernels.whl", "kernels.so"])
def test_a_search_for_what_nothing_has(file):
    """It is an error as of `kernel`, not an empty result."""
    with zeview.open(FIXTURES / file) as document:
        kernels = document.kernels("code_size>0")
        name, image = kernels[0].name, kernels[0].image
        wrong = [{"image": "imag 99"}, {"kernel": "nothing"}, {"kernel": name, "image": "imag 99"}]
        # Only packages have files.
        wrong += [{"file": "nothing.so"}] if file.endswith("whl") else []
        for options in wrong:
            with pytest.raises(zeview.Error) as raised:
                document.find_code("kind=message", **options)
            assert raised.value.code == "no-kernel", options
        with pytest.raises(zeview.Error, match='has image "imag 99"; there are'):
            document.find_code("kind=message", kernel=name, image="imag 99")
        assert document.find_code("mnemonic=nothing", kernel=name) == []
        assert document.find_code("mnemonic=nothing", image=image) == []
        # A device that no kernel is for is none that no one knows.
        assert document.find_code("kind=message", device="dg1") == []


def test_kernels_of_unknown_devices():
    with zeview.open(FIXTURES / "kernels.so") as document:
        with pytest.raises(zeview.Error, match='no device is called "B5800"; did you mean') as raised:
            document.kernels(device="B5800")
        assert raised.value.code == "no-device"
        assert len(document.kernels(device="dg1")) == 0
        for device in {kernel.device for kernel in document.kernels()}:
            assert len(document.kernels(device=device)) > 0
