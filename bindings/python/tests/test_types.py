"""Type checkers accept the documented examples, and reject names that do not exist."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from conftest import ROOT

import zeview
from zeview import _records

GOOD = """
import zeview

document = zeview.open("kernel.zebin")
for kernel in document.kernels("spill_size>0", sort="-spill_size", columns="instructions"):
    name: str = kernel.name
    if kernel.spill_size is not None:
        print(name, kernel.spill_size + 1, kernel.instructions)
check = document.check("B580")
if check.verdict == "recompiled":
    print(check.problems[0].severity == "error")
check.require()
report = document.profile(["metrics_0.csv", "metrics_1.csv"], before=b"")
for found in report.kernels:
    print(found.name, found.codes)
for instruction in document.instructions("vecadd"):
    print(instruction.mnemonic, instruction.text)
peak = document.analyze("vecadd").peak
print(peak.registers if peak else 0, document.kernels()._repr_html_())
"""

#: Each is an error, with what the checker says.
BAD = {
    "document.kernels()[0].spil_size": "spil_size",
    "document.instructions('f')[0].mnemonics": "mnemonics",
    "document.check().verdct": "verdct",
    "document.check().verdict == 'recompild'": "recompild",
    "document.problems[0].severty": "severty",
    "document.kernel('f').instruction": "instruction",
    "document.images()[0].targt": "targt",
    "document.profile(3)": "int",
}


def check(text, folder):
    """Runs mypy on a script and returns its errors."""
    pytest.importorskip("mypy")
    script = folder / "script.py"
    script.write_text(text)
    arguments = ["--strict", "--follow-imports=silent", "--no-incremental", "--no-error-summary"]
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", *arguments, script], capture_output=True, text=True, cwd=folder, check=False
    )
    return [line for line in ran.stdout.splitlines() if "script.py" in line]


def examples():
    """The examples of the documentation."""
    found = []
    for name in ("README.md", "bindings/python/README.md", "docs/src/reference/python.md"):
        for block in re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), re.DOTALL):
            if "import zeview" in block:
                found.append(block)
    return found


def test_documented_examples_are_accepted(tmp_path):
    blocks = examples()
    assert len(blocks) >= 2
    for block in [GOOD, *blocks]:
        # What the examples import besides.
        errors = [error for error in check(block, tmp_path) if "import" not in error]
        assert errors == [], block


def test_names_that_do_not_exist_are_rejected(tmp_path):
    lines = [*BAD]
    errors = check("import zeview\ndocument = zeview.open('f')\n" + "\n".join(lines), tmp_path)
    for at, line in enumerate(lines, 3):
        found = [error for error in errors if f"script.py:{at}:" in error]
        assert any(BAD[line] in error for error in found), (line, errors)


def test_words_are_those_of_the_schema():
    """The literals of the types are all words of the command's JSON."""
    schema = json.loads((ROOT / "docs/src/schemas/check.json").read_text())

    def words(name, values):
        """The words that the schema allows for a key, wherever it occurs."""
        found = set()
        if isinstance(values, dict):
            for key, value in values.items():
                if key == name and isinstance(value, dict):
                    found |= set(value.get("enum", []))
                found |= words(name, value)
        elif isinstance(values, list):
            for value in values:
                found |= words(name, value)
        return found - {None}

    assert set(get_args(_records.Outcome)) == words("verdict", schema)
    assert set(get_args(_records.Effect)) >= words("effect", schema)
    assert set(get_args(_records.Severity)) >= words("severity", schema)


def test_the_package_is_typed():
    assert (Path(zeview.__file__).parent / "py.typed").is_file()
