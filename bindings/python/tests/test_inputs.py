"""Kinds of input, errors, and damaged files."""

import array
import errno
import mmap
import os
import random
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import get_args

import pytest
from conftest import COMMAND, ROOT, SAMPLES

import zeview
from zeview import _records

PATH = SAMPLES / "vecadd.bmg.zebin"
CONTENT = PATH.read_bytes()


@pytest.mark.parametrize(
    "make",
    [
        lambda: PATH,
        lambda: str(PATH),
        lambda: os.fsencode(PATH).decode(),
        lambda: CONTENT,
        lambda: bytearray(CONTENT),
        lambda: memoryview(b"x" + CONTENT)[1:],
        lambda: array.array("b", CONTENT),
    ],
)
def test_every_input_gives_the_same(make):
    document = zeview.open(make(), name="vecadd.bmg.zebin")
    expected = zeview.open(PATH)
    assert document.kernels().to_dicts() == expected.kernels().to_dicts()
    assert document.check() == expected.check()
    assert document.extract(".text.vecadd") == expected.extract(".text.vecadd")


def test_other_types():
    for other in (1, None, [1, 2], "\0"):
        with pytest.raises((TypeError, ValueError)):
            zeview.open(other)


def test_paths_that_cannot_be_opened(tmp_path):
    with pytest.raises(FileNotFoundError) as raised:
        zeview.open(tmp_path / "nothing.zebin")
    assert raised.value.filename == str(tmp_path / "nothing.zebin")
    if os.name == "posix":
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(OSError, match="not a regular file"):
            zeview.open(tmp_path / "pipe")


@pytest.mark.skipif(os.name != "posix" or sys.platform == "darwin", reason="names of files are any bytes on Linux")
def test_paths_that_are_not_utf_8(tmp_path):
    folder = tmp_path / os.fsdecode(b"\xfe")
    folder.mkdir()
    path = folder / os.fsdecode(b"\xff.zebin")
    path.write_bytes(CONTENT)
    document = zeview.open(path)
    assert document.name == "\ufffd.zebin" and len(document.kernels()) == 1
    assert "\ufffd.zebin" in repr(document)
    document = zeview.open(folder)
    assert document.name == "\ufffd" and len(document.kernels()) == 1
    assert zeview.open(CONTENT, name=os.fsdecode(b"\xff")).name == "\ufffd"
    profile = folder / os.fsdecode(b"metrics_\xff.csv")
    profile.write_bytes((SAMPLES / "matmul.csv").read_bytes())
    assert zeview.open(SAMPLES / "matmul.syclbin").profile(profile).located > 0


def test_profiles_that_cannot_be_opened(tmp_path):
    path = tmp_path / "nothing.csv"
    for files in (path, [SAMPLES / "matmul.csv", str(path)]):
        with pytest.raises(FileNotFoundError) as raised:
            zeview.open(PATH).profile(files)
        assert raised.value.errno == errno.ENOENT
        assert str(raised.value.filename) == str(path)
        assert "os error" not in str(raised.value)


def test_folders(tmp_path):
    inner = tmp_path / "cache" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "cache" / "b.zebin").write_bytes(CONTENT)
    unoptimized = (SAMPLES / "vecadd-O0.bmg.zebin").read_bytes()
    (inner / "a.zebin").write_bytes(unoptimized)
    (inner / "notes.txt").write_text("nothing")
    document = zeview.open(tmp_path / "cache")
    assert document.summary.name == "cache"
    files = {kernel.package_file for kernel in document.kernels()}
    assert files == {"b.zebin", "inner/a.zebin"}
    assert document.extract("b.zebin") == CONTENT
    same = zeview.open(tmp_path / "cache")
    assert document.diff(same).equal is True
    os.remove(inner / "a.zebin")
    later = zeview.open(tmp_path / "cache")
    assert [kernel.package_file for kernel in later.kernels()] == ["b.zebin"]


def test_packages_are_read_by_the_first_call(tmp_path):
    """Images, devices and problems of a package do not depend on what was called before."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as package:
        for name in ("vecadd.bmg.zebin", "damaged.zebin"):
            package.writestr(name, (SAMPLES / name).read_bytes())
    read = zeview.open(path)
    check = read.check()
    assert len(read.images()) == 2 and check.problems
    assert zeview.open(path).images().to_dicts() == read.images().to_dicts()
    assert zeview.open(path).devices().to_dicts() == read.devices().to_dicts()
    assert zeview.open(path).symbols().to_dicts() == read.symbols().to_dicts()
    assert zeview.open(path).problems == check.problems


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_no_permission(python):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "secret")
        path.write_bytes(CONTENT)
        path.chmod(0)
        # Others may enter the folder, but not read the file. The superuser becomes someone else.
        os.chmod(folder, 0o755)
        script = """
import os, sys, zeview
if os.geteuid() == 0:
    os.setuid(65534)
try:
    zeview.open(sys.argv[1])
except PermissionError as error:
    print(error.filename)
"""
        assert python(script, path).strip() == str(path)


def test_a_sparse_file_of_5_gb(tmp_path):
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.write(CONTENT)
        file.truncate(5 << 30)
    document = zeview.open(path)
    assert document.size == 5 << 30
    assert document.format == "zebin"
    assert [kernel.name for kernel in document.kernels()] == ["vecadd"]
    assert document.bytes(((5 << 30) - 2, 6 << 30)) == b"\0\0"


def test_misuse_has_codes():
    document = zeview.open(PATH)
    for code, call in {
        "no-kernel": lambda: document.disassemble("nothing"),
        "bad-query": lambda: document.kernels("no_such_column>3"),
        "no-column": lambda: document.kernels(columns=["nothing"]),
        "no-device": lambda: document.check(device="nothing"),
        "no-path": lambda: document.find("nothing"),
        "several-parts": lambda: document.extract("*"),
    }.items():
        with pytest.raises(zeview.Error) as raised:
            call()
        assert (raised.value.code, raised.value.span, raised.value.rule) == (code, None, None)
        assert str(raised.value)
    with pytest.raises(OverflowError):
        document.bytes((-1, 2))


def test_damaged_files_are_documents():
    document = zeview.open(SAMPLES / "damaged.zebin")
    errors = [problem for problem in document.problems if problem.severity == "error"]
    assert errors
    for problem in document.problems:
        assert "/" in problem.rule and problem.message
        assert 0 <= problem.span.start <= problem.span.end
    assert document.check().well_formed is False
    for content in (b"", b"\x7fELF", b"text", CONTENT[:100], CONTENT[:-1]):
        document = zeview.open(content)
        document.kernels()
        document.check()
        assert document.tree().bytes() == content


def test_required_files():
    """A refused or damaged file raises an exception with its rule and bytes."""
    check = zeview.open(PATH).check()
    assert check.verdict == "loads" and check.require() is None
    assert zeview.open(PATH).check(device="pvc").require() is None
    for content, device in [(None, None), (CONTENT[:-1], None), (b"\x7fELF", "pvc"), (CONTENT[:3000], "B580")]:
        document = zeview.open(SAMPLES / "damaged.zebin") if content is None else zeview.open(content)
        check = document.check(device)
        with pytest.raises(zeview.Error) as raised:
            check.require()
        error = raised.value
        expected = {"refused": check.findings, "ill-formed": check.problems}[error.code]
        assert (error.code == "refused") == (check.verdict == "refused")
        (reason,) = [
            reason
            for reason in expected
            if (reason.rule, reason.span) == (error.rule, error.span) and reason.message in str(error)
        ][:1]
        assert error.rule in str(error) and document.bytes(error.span) == document.bytes(reason.span)


@pytest.mark.parametrize("device", [None, "B580", "pvc", "acm-g10"])
@pytest.mark.parametrize(
    "name",
    [
        "www/samples/program.host",
        "www/samples/matmul.syclbin",
        "www/samples/damaged.zebin",
        "www/samples/vecadd.bmg.zebin",
        "www/samples/README.md",
        "www/samples/vectors-1.0-py3-none-linux_x86_64.whl",
        "tests/fixtures/naming/kernels.whl",
        "tests/fixtures/naming/kernels.so",
        "tests/fixtures/verdicts/subgroup8.so",
        "tests/fixtures/zebin/globals-visaonly.pvc.igc2.40.zebin",
        "tests/fixtures/zebin/vecadd-fat.skl+icllp.igc1.17791.zebin",
    ],
)
def test_files_are_required_as_on_the_command_line(name, device):
    options = [] if device is None else ["--device", device]
    ran = subprocess.run([COMMAND, "check", "--quiet", *options, ROOT / name], capture_output=True, check=False)
    try:
        zeview.open(ROOT / name).check(device).require()
    except zeview.Error as error:
        assert ran.returncode == (2 if error.code in ("unread", "no-files") else 1), error.code
        assert error.code in ("ill-formed", "unread", "no-files", *get_args(_records.Outcome)[4:])
    else:
        assert ran.returncode == 0


def test_programs_that_do_not_run():
    for name, device, code, says in [
        ("program.host", "B580", "refused", "image 1: no member of its archive is for the device"),
        ("matmul.syclbin", "skl", "does-not-run", "does not run on skl"),
    ]:
        with pytest.raises(zeview.Error, match=says) as raised:
            zeview.open(SAMPLES / name).check(device).require()
        assert (raised.value.code, raised.value.rule, raised.value.span) == (code, None, None)


def test_a_package_without_files():
    with pytest.raises(zeview.Error) as raised:
        zeview.open(b"PK\5\6" + bytes(18)).check().require()
    assert raised.value.code == "no-files"


def test_unread_files(tmp_path):
    """A package that was not read completely is not well-formed, and says what was not read."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("vecadd.zebin", CONTENT)
        package.writestr("notes.txt", "text")
    check = zeview.open(path).check()
    assert check.well_formed is True and check.unread == [] and check.require() is None
    assert check.files.to_dict() == {"read": 1, "without_code": 1, "unread": 0, "pending": 0}
    with zipfile.ZipFile(path, "a") as package:
        package.writestr("inner.7z", b"7z\xbc\xaf\x27\x1c" + bytes(100))
    check = zeview.open(path).check()
    assert check.well_formed is None and check.files.unread == 1
    (unread,) = check.unread
    assert unread.message == "inner.7z: a 7z archive: not read"
    with pytest.raises(zeview.Error) as raised:
        check.require()
    assert raised.value.code == "unread"


def test_random_damage_raises_nothing_else():
    chance = random.Random(1)
    for _ in range(60):
        damaged = bytearray(CONTENT)
        for _ in range(chance.randrange(1, 30)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        del damaged[chance.randrange(len(damaged)) :]
        document = zeview.open(bytes(damaged))
        document.check()
        for kernel in document.kernels():
            try:
                document.disassemble(kernel)
                document.analyze(kernel)
            except zeview.Error as error:
                assert error.code in ("no-kernel", "no-encoding", "no-code", "no-path")
        for child in document.tree().children:
            child.children[:5]


def test_a_file_that_becomes_shorter(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(CONTENT + bytes(8 << 20))
    document = zeview.open(path)
    document.kernels()
    os.truncate(path, 1000)
    with pytest.raises(zeview.Error) as raised:
        document.bytes((4 << 20, 5 << 20))
    assert raised.value.code == "unreadable"
    source, start, end = raised.value.span
    assert source == 0 and 4 << 20 <= start < end <= 5 << 20
    document.check()


def test_closing():
    with zeview.open(PATH) as document:
        kernels = document.kernels()
        node = document.tree()
    assert document.closed and "closed" in repr(document)
    assert kernels[0].name == "vecadd"
    document.close()
    for call in (document.kernels, lambda: document.check(), lambda: node.children[0]):
        with pytest.raises(ValueError, match="closed"):
            call()


def test_closing_releases_buffers():
    with PATH.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        document = zeview.open(mapped)
        assert len(document.kernels()) == 1
        with pytest.raises(BufferError):
            mapped.close()
        document.close()
        mapped.close()


def test_bytes_are_not_copied(python):
    """Opening 200 MB of `bytes`, and reading all of it, takes a few megabytes."""
    script = """
import sys, zeview
def memory():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
content = open(sys.argv[1], "rb").read() + bytes(200 << 20)
before = memory()
document = zeview.open(content)
document.check()
print((memory() - before) >> 20, document.size)
"""
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("measured on Linux")
    grown, size = map(int, python(script, PATH).split())
    assert size > 200 << 20
    assert grown < 60
