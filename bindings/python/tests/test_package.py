"""What the wheel contains."""

import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from conftest import COMMAND, ROOT, SAMPLES, command

import zeview


def test_the_command_is_installed():
    assert COMMAND.is_file()
    version = subprocess.run([COMMAND, "--version"], capture_output=True, text=True, check=True)
    assert version.stdout.split() == ["zeview", zeview.__version__]
    assert "vecadd" in command("kernels", SAMPLES / "vecadd.bmg.zebin")


def test_versions_are_one_number():
    manifest = (ROOT / "Cargo.toml").read_text()
    version = re.search(r'^version = "(.*)"', manifest, re.MULTILINE).group(1)
    assert zeview.__version__ == metadata.version("zeview") == version


def test_the_package_is_complete():
    files = {str(file) for file in metadata.files("zeview")}
    for name in ("py.typed", "_zeview.pyi", "_rows.pyi", "triton.py", "notebook.js"):
        assert f"zeview/{name}" in files
    assert any("licenses/LICENSE-MIT" in file for file in files)
    # Bound to no version of Python.
    assert Path(zeview._zeview.__file__).name in ("_zeview.abi3.so", "_zeview.pyd")


def test_the_readme_runs(tmp_path, monkeypatch, capsys):
    """The example of the README runs as it stands, in a folder with the sample."""
    readme = (ROOT / "bindings/python/README.md").read_text()
    example = re.search(r"```python\n(.*?)```", readme, re.DOTALL).group(1)
    assert example.count("\n") <= 12
    for name in ("vecadd.bmg.zebin", "vecadd-O0.bmg.zebin"):
        (tmp_path / name).write_bytes((SAMPLES / name).read_bytes())
    ran = subprocess.run(
        [sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    printed = re.search(r"```text\n(.*?)```", readme, re.DOTALL).group(1)
    assert ran.stdout == printed


def test_the_projects_readme_runs(tmp_path):
    """So does that of the project's README."""
    pytest.importorskip("pandas")
    readme = (ROOT / "README.md").read_text()
    (example,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    (tmp_path / "spill.dg2.zebin").write_bytes((SAMPLES / "spill.dg2.zebin").read_bytes())
    ran = subprocess.run(
        [sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    first, *_, verdict = ran.stdout.splitlines()
    assert first.startswith("spill ") and verdict


def test_names_are_documented():
    for name in zeview.__all__:
        value = getattr(zeview, name)
        if not name.startswith("__"):
            assert value.__doc__, name
    for name, value in vars(zeview.Document).items():
        if not name.startswith("_") and name != "bytes":
            assert getattr(value, "__doc__", None), name
