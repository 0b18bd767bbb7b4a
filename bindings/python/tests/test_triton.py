"""Kernels of Triton, without Triton."""

import pytest
from conftest import SAMPLES

import zeview
from zeview import triton

ZEBIN = (SAMPLES / "vecadd.bmg.zebin").read_bytes()


class Stages(dict):
    """As Triton's: some stages are created when they are asked for."""

    def __missing__(self, key):
        raise AssertionError(f"{key} was asked for")


class Compiled:
    name = "vecadd"
    asm = Stages(ttir="module {}", llir="define void @vecadd()", spv=b"\x03\x02\x23\x07", zebin=ZEBIN)


def test_the_binaries_of_a_compiled_kernel():
    found = triton.documents(Compiled())
    assert list(found) == ["zebin", "spv"]
    assert found["zebin"].name == "vecadd.zebin"
    assert [kernel.name for kernel in found["zebin"].kernels()] == ["vecadd"]
    assert list(triton.documents(Compiled.asm)) == ["zebin", "spv"]
    assert triton.documents(Stages(ptx="//", cubin=b"\x7fELF")) == {}


def test_a_cache(tmp_path, monkeypatch):
    for folder, files in {
        "A": {"add.zebin": ZEBIN, "add.spv": b"", "add.ttir": b"", "add.json": b"{}"},
        "B": {"mul.spv": b"\x03\x02\x23\x07", "__grp__mul.json": b"{}"},
        "C": {"utils.so": b""},
    }.items():
        (tmp_path / folder).mkdir()
        for name, content in files.items():
            (tmp_path / folder / name).write_bytes(content)
    (tmp_path / "lock").write_bytes(b"")
    found = list(triton.cached(tmp_path))
    assert [(kernel.folder.name, kernel.name) for kernel in found] == [("A", "add"), ("B", "mul")]
    assert sorted(found[0].files) == ["json", "spv", "ttir", "zebin"]
    assert found[0].open().format == "zebin"
    assert found[1].open().name == "mul.spv"
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    assert list(triton.cached()) == found
    monkeypatch.delenv("TRITON_CACHE_DIR")
    monkeypatch.setenv("TRITON_HOME", str(tmp_path))
    assert triton.cache_folder() == tmp_path / ".triton/cache"
    with pytest.raises(FileNotFoundError):
        list(triton.cached())


def test_no_binary(tmp_path):
    kernel = triton.CachedKernel(tmp_path, "x", {"ttir": tmp_path / "x.ttir"})
    with pytest.raises(FileNotFoundError):
        kernel.open()
    assert zeview.triton is triton
