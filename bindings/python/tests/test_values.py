"""Values are those that the command prints as JSON."""

import json
import pydoc

import pytest
from conftest import SAMPLES, command, command_json

import zeview

COUNTED = ["instructions", "spill_messages", "loops"]


def placed(path, rows):
    """The rows of the command, with the path within the file instead of the file."""
    rows = [dict(row) for row in rows]
    for row in rows:
        del row["schema"]
        row["path"] = row.pop("file")[len(str(path)) :].lstrip(":")
    return rows


def without_flags(row, keys):
    # The command leaves out columns that repeat `flags`.
    return {key: row[key] for key in keys}


def test_kernels(sample):
    printed = placed(sample, command_json("kernels", "--json", sample))
    kernels = zeview.open(sample).kernels()
    assert len(kernels) == len(printed)
    for kernel, row in zip(kernels, printed):
        assert without_flags(kernel.to_dict(), row) == row
        for column, value in row.items():
            assert getattr(kernel, column) == value


def test_filters_sorts_and_counts(sample):
    options = ["--filter", "code_size>100 and not zero", "--sort", "-code_size"]
    columns = ["--columns", ",".join(["name", *COUNTED])]
    printed = placed(sample, command_json("kernels", "--json", sample, *options, *columns))
    table = zeview.open(sample).kernels(options[1], options[3], COUNTED)
    assert [without_flags(row, printed[0]) for row in table.to_dicts()] == printed
    assert set(COUNTED) < set(table.columns)


def test_kernels_for_a_device():
    path = SAMPLES / "matmul.syclbin"
    printed = placed(path, command_json("kernels", "--json", path, "--filter", 'device="bmg-g21"'))
    rows = zeview.open(path).kernels(device="bmg-g21")
    assert [row.path for row in rows] == [row["path"] for row in printed] != []
    assert not zeview.open(path).kernels("nothing", device="bmg-g21")


def test_check(sample):
    (printed,) = command_json("check", "--json", sample, status=(0, 1))
    check = zeview.open(sample).check()
    printed["file"] = sample.name
    assert check.to_dict() == printed
    problems = zeview.open(sample).problems
    assert [problem.to_dict() for problem in problems] == printed["diagnostics"]
    assert [problem.to_dict() for problem in check.problems] == printed["diagnostics"]
    assert [finding.rule for finding in check.findings] == [
        finding["rule"] for finding in printed["findings"]
    ]


@pytest.mark.parametrize("device", ["pvc", "B580", "bmg-g21"])
def test_check_for_a_device(sample, device):
    (printed,) = command_json("check", "--json", "--device", device, sample, status=(0, 1, 2))
    printed["file"] = sample.name
    assert zeview.open(sample).check(device=device).to_dict() == printed


def test_disassembly(sample, tmp_path):
    document = zeview.open(sample)
    native = [kernel for kernel in document.kernels() if kernel.code_size]
    assert native or sample.name == "damaged.zebin"
    for kernel in native[:3] + native[-1:]:
        image = sample
        if kernel.path:
            image = tmp_path / "image"
            image.write_bytes(document.extract(kernel.path))
        printed = command("disasm", image, "--kernel", kernel.name)
        assert document.disassemble(kernel) == printed
        assert document.disassemble(kernel.name, kernel.path or None) == printed


def test_step():
    sample, source = SAMPLES / "debugme.bmg.zebin", SAMPLES / "debugme.cl"
    step = zeview.open(sample).step("step", sources={source.name: source.read_text()})
    (printed,) = command_json("step", "--json", "--source", source, sample)
    assert printed.pop("schema") == 1
    assert step.to_dict() == printed
    assert step.basis == "lines"
    assert [column["kind"] for column in step.columns] == ["source", "spirv", "instructions"]


def test_find_code(sample):
    document = zeview.open(sample)
    for query in ["kind=message", "mnemonic=send then mnemonic=send"]:
        for rows in [False, True]:
            options = ["--rows"] if rows else []
            printed = command_json("find", "--json", *options, query, sample)
            found = document.find_code(query, rows=rows)
            assert len(found) == len(printed)
            for row, other in zip(found, printed):
                assert other.pop("schema") == 1
                # The command prints the name of the file before the path in it.
                assert other.pop("file").endswith(row.file)
                values = row.to_dict()
                values.pop("file")
                assert values == other
    assert len(document.find_code("kind=message", limit=1)) <= 1
    with pytest.raises(zeview.Error) as error:
        document.find_code("knd=message")
    assert error.value.code == "bad-query"


def test_spirv(sample):
    document = zeview.open(sample)
    try:
        text = document.spirv()
    except zeview.Error as error:
        assert error.code == "no-spirv"
        command("disasm", "--spirv", sample, status=(2,))
        return
    assert text == command("disasm", "--spirv", sample)
    assert document.spirv(raw_ids=True) == command("disasm", "--spirv", "--raw-ids", sample)


def test_data_flow():
    path = SAMPLES / "spill.dg2.zebin"
    document = zeview.open(path)
    for kernel in document.kernels():
        printed = command_json("analyze", "--json", path, "--kernel", kernel.name)
        printed = printed[0] if isinstance(printed, list) else printed
        report = document.analyze(kernel, other_builds=True).to_dict()
        assert set(report) == set(printed) - {"schema"}
        assert report.items() <= printed.items()
        assert document.analyze(kernel).to_dict().items() <= report.items()
        assert report["instructions"] > 10
        instructions = document.instructions(kernel)
        # Zeros behind the code decode as `illegal`.
        code = [instruction for instruction in instructions if instruction.text != "illegal"]
        assert len(code) == report["instructions"]
        assert instructions[0].offset == 0
        assert {"reads", "writes", "live", "waits"} <= set(instructions[0].keys())


def test_differences():
    before, after = SAMPLES / "vecadd-O0.bmg.zebin", SAMPLES / "vecadd.bmg.zebin"
    printed = command_json("diff", "--json", before, after, status=(0, 1))
    found = zeview.open(before).diff(zeview.open(after)).to_dict()
    for side in ("a", "b"):
        printed[side].pop("file", None)
        found[side].pop("file", None)
    assert found == printed
    assert found["equal"] is False
    same = zeview.open(before)
    assert same.diff(same).equal is True


def test_analyses_of_builds():
    path = SAMPLES / "matmul.syclbin"
    document = zeview.open(path)
    (printed,) = command_json("analyze", "--json", path, "--kernel", "matmul", "--device", "pvc")
    report = document.analyze("matmul", device="pvc", other_builds=True)
    assert report.kernel == "matmul" and report.path == printed["path"]
    assert report.grf_bytes == 64 and report.threads_per_eu == printed["threads_per_eu"] > 0
    assert report.to_dict()["other_builds"] == printed["other_builds"]
    assert report.other_builds is not None and len(report.other_builds) == 11
    assert document.analyze("matmul", device="pvc").other_builds is None
    path = SAMPLES / "spill.dg2.zebin"
    (kernel, *_) = zeview.open(path).kernels("spill_size>0")
    report = zeview.open(path).analyze(kernel)
    assert report.path is None and report.spill_size == kernel.spill_size > 0
    assert report.larger_file is not None and report.larger_file.needed > 128


@pytest.mark.parametrize("options", [[], ["--everything"]])
def test_differences_of_libraries(options):
    """A library and a zebin: as the command, complete only with everything."""
    before, after = SAMPLES / "matmul.syclbin", SAMPLES / "program.host"
    printed = command_json("diff", "--json", *options, before, after, status=(0, 1, 2))
    found = zeview.open(before).diff(zeview.open(after), everything=bool(options)).to_dict()
    for side in ("a", "b"):
        printed[side].pop("file", None)
        found[side].pop("file", None)
    assert found == printed
    assert found["complete"] is bool(options)


def test_tree(sample):
    printed = command_json("dump", "--json", "--depth", "2", sample)
    document = zeview.open(sample)
    root = document.tree()

    def compare(node, expected, depth):
        assert (node.name, node.kind) == (expected["name"], expected["kind"])
        if "value" in expected:
            assert node.value == expected["value"]
            assert node.text == expected.get("text", node.text)
        if node.span is not None:
            assert (node.span.start, node.span.end) == (expected["start"], expected["end"])
        if depth and "children" in expected:
            # Defaults that the file leaves out are not printed.
            children = [child for child in node.children if child.span is not None]
            wanted = [child for child in expected["children"] if "start" in child]
            assert len(children) >= len(wanted) > 0 or not wanted
            for child, other in zip(children, wanted):
                compare(child, other, depth - 1)

    compare(root, printed["tree"], 2)


def test_nodes_and_bytes(sample):
    content = sample.read_bytes()
    document = zeview.open(sample)
    assert document.bytes((0, len(content))) == content
    assert document.bytes(zeview.Span(0, 3, 9)) == content[3:9]
    assert document.bytes((len(content) - 1, len(content) + 100)) == content[-1:]
    root = document.tree()
    assert root.bytes() == content
    assert root.parent is None
    for child in root.children:
        assert child.parent == root
        if child.span is not None and child.span.source == 0:
            assert child.bytes() == content[child.span.start : child.span.end]
            assert child in document.find(child.path)
    nodes = document.nodes_at(1)
    assert nodes[0] == root
    assert all(node.span.start <= 1 < node.span.end for node in nodes)


def test_children_are_a_sequence():
    document = zeview.open(SAMPLES / "kernels600.dg2.zebin")
    (symbols,) = document.find(".symtab")
    children = symbols.children
    assert len(children) > 600
    assert children[-1] == children[len(children) - 1]
    assert [node.index for node in children[255:258]] == [255, 256, 257]
    assert sum(1 for _ in children) == len(children)
    with pytest.raises(IndexError):
        children[len(children)]


def test_extraction(tmp_path):
    for name, path in [("vecadd.bmg.zebin", ".text.vecadd"), ("program.host", "image 0")]:
        out = tmp_path / "part"
        command("extract", SAMPLES / name, path, "--output", out)
        assert zeview.open(SAMPLES / name).extract(path) == out.read_bytes() != b""


def test_summary(sample):
    document = zeview.open(sample)
    assert document.size == sample.stat().st_size
    assert document.name == sample.name
    coverage = document.summary.coverage
    assert coverage.explained + coverage.padding + coverage.gap == document.size
    (printed,) = command_json("check", "--json", sample, status=(0, 1))
    assert document.format == printed["format"]
    # As the command, after all nested documents were opened.
    document = zeview.open(sample)
    document.check()
    assert zeview.Summary(json.loads(document._native.summary())).coverage.to_dict() == printed["coverage"]


def test_images():
    document = zeview.open(SAMPLES / "matmul.syclbin")
    images = document.images(device="bmg-g21")
    chosen = [image for image in images if image.chosen]
    assert len(images) > len(chosen) == 1
    assert "bmg-g21" in chosen[0].device
    assert document.extract(chosen[0].path)[:4] == b"\x7fELF"
    assert [module.module for module in document.modules()] == list(range(12))


def test_images_of_a_program_have_verdicts_for_a_device():
    path = SAMPLES / "program.host"
    printed = command_json("images", "--json", "--device", "acm-g10", path)
    images = zeview.open(path).images(device="acm-g10")
    words = [row.get("verdict") for row in printed]
    assert "loads" in words and "refused" in words
    assert [image.verdict for image in images] == words == [image.outcome for image in images]
    assert [image.verdict for image in zeview.open(path).images()] == [None] * len(words)
    (best,) = zeview.open(path).images(sort="verdict", device="acm-g10", filter="verdict=loads")
    assert best.chosen is True


def test_other_tables():
    document = zeview.open(SAMPLES / "vecadd.bmg.zebin")
    assert "vecadd" in [symbol.name for symbol in document.symbols()]
    verdicts = {row.device: row.verdict for row in document.devices()}
    assert verdicts["bmg-g21"].startswith("Loads") or verdicts["bmg-g21"]
    assert all(row.offset >= 0 for row in document.relocations())
    assert document.source_lines("line>0").columns[0] == "source_file"


def test_source_lines_have_counted_columns():
    path = SAMPLES / "debugme.bmg.zebin"
    counted = [id for id, _, _, is_counted in zeview._zeview.columns("source-lines") if is_counted]
    assert counted == ["cycles", "waits", "live", "spills", "fills"]
    names = ["source_file", "line", "offset", *counted]
    printed = command_json("lines", "--json", "--columns", ",".join(names), path)
    lines = zeview.open(path).source_lines(columns=counted)
    assert [{name: row[name] for name in names} for row in lines] == [{name: row[name] for name in names} for row in printed]
    assert sum(line.cycles or 0 for line in lines) > 0
    assert set(counted) < set(lines.columns)
    with pytest.raises(AttributeError, match="columns="):
        zeview.open(path).source_lines()[0].cycles


def symbols_of(path, kind):
    return placed(path, command_json("ls", f"--{kind}", "--json", path))


@pytest.mark.parametrize("kind", ["symbols", "relocations"])
def test_symbols_and_relocations_are_those_of_ls(sample, kind):
    """Those of a library's host code, and those of its images."""
    printed = symbols_of(sample, kind)
    found = getattr(zeview.open(sample), kind)()
    assert len(found) == len(printed)
    for row, expected in zip(found.to_dicts(), printed):
        assert {key: row[key] for key in expected} == expected


@pytest.mark.parametrize("sort", ["value", "-value", "name", "-size"])
def test_rows_of_all_images_are_sorted_together(sort):
    path = SAMPLES / "program.host"
    column = sort.lstrip("-")
    unsorted = zeview.open(path).symbols().to_dicts()
    found = zeview.open(path).symbols(sort=sort).to_dicts()
    assert len({row["path"] for row in found}) > 2
    values = [row[column] for row in found]
    present = [value for value in values if value not in (None, "")]
    assert present == sorted(present, reverse=sort != column)
    key = str
    assert sorted(map(key, found)) == sorted(map(key, unsorted))


def test_types_of_rows_are_declared():
    """`_rows.pyi` is written from the library's columns: BLESS=1 writes it."""
    import os
    from pathlib import Path

    from declarations import declarations

    path = Path(__file__).parents[1] / "python/zeview/_rows.pyi"
    if os.environ.get("BLESS"):
        path.write_text(declarations())
    assert path.read_text() == declarations()
    installed = Path(zeview.__file__).with_name("_rows.pyi")
    assert os.environ.get("BLESS") or installed.read_text() == declarations()


def test_values_have_the_declared_types(sample):
    """The types of `_tables` and `_rows.pyi` fit the values of all samples."""
    fits = {
        "int64": lambda value: type(value) is int,
        "float64": lambda value: type(value) in (int, float),
        "bool": lambda value: type(value) is bool,
        "string": lambda value: type(value) is str,
        "list<string>": lambda value: all(type(word) is str for word in value),
        "list<int64>": lambda value: all(type(number) is int for number in value),
    }
    document = zeview.open(sample)
    counted = [id for id, _, _, is_counted in zeview._zeview.columns("kernels") if is_counted]
    tables = [document.kernels(columns=counted)]
    for method in ("images", "symbols", "relocations", "modules", "devices", "source_lines"):
        tables.append(getattr(document, method)())
    for table in tables:
        for row in table.to_dicts():
            # `unknown` has the reasons of values that are not known.
            assert set(row) - {"unknown"} == set(table.columns)
            for id, kind in table._columns:
                assert row[id] is None or fits[kind](row[id]), (id, row[id])


def test_one_column_is_a_text():
    document = zeview.open(SAMPLES / "vecadd.bmg.zebin")
    assert document.kernels(columns="instructions")[0] == document.kernels(columns=["instructions"])[0]
    two = document.kernels(columns="instructions, loops")[0]
    assert two.instructions > 0 and two.loops == 0
    with pytest.raises(zeview.Error, match='no column is called "instruction"'):
        document.kernels(columns="instruction")


def test_instructions_have_mnemonics():
    path = SAMPLES / "vecadd.bmg.zebin"
    found = zeview.open(path).instructions("vecadd")
    printed = command_json("disasm", "--json", path)
    assert [at.mnemonic for at in found] == [at["mnemonic"] for at in printed]


def test_help_has_the_columns():
    text = pydoc.plain(pydoc.render_doc(zeview.Kernel))
    for id, _, doc, _ in zeview._zeview.columns("kernels"):
        assert f"{id}: {doc}" in text


def test_profiles():
    path = SAMPLES / "matmul.syclbin"
    profile = SAMPLES / "matmul.csv"
    printed = command_json("profile", path, profile, "--json")
    document = zeview.open(path)
    report = document.profile(profile)
    assert report.to_dict() == printed and report.kernels[0].name == "matmul"
    assert report.comparison is None and report.before is None
    again = document.profile(profile.read_bytes(), before=[profile])
    assert again.kernels == report.kernels and again.before is not None
    kernels = document.kernels("samples>0", columns=["samples"])
    assert [row["samples"] for row in kernels] == [sum(report.samples)] * 2
    assert "samples" in kernels.columns and "samples" in kernels._repr_html_()
    with pytest.raises(FileNotFoundError):
        document.profile(SAMPLES / "nothing.csv")
