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
print([inner.path for inner in check.documents], check.choice.rule if check.choice else "", check.coverage.gap)
print(check.rebuild.text if check.rebuild else "", [symbol.name for symbol in check.imports])
flow = document.analyze("vecadd", other_builds=True)
print(len(flow.lines), flow.hottest, flow.inputs, flow.patterns, flow.pressures, flow.path, flow.other_builds)
print(document.kernels()[0].unknown.to_dict(), document.instructions("vecadd")[0].inputs)
changes = document.diff(document)
print(changes.sections, changes.symbols, changes.images, changes.modules, changes.notes, changes.not_compared)
print(changes.devices or [], report.idle_rows, document.source_lines(columns=["cycles"])[0].cycles)
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


def declared(record):
    """The attributes that a class declares or defines."""
    return {name for base in record.__mro__ for name in [*base.__dict__.get("__annotations__", {}), *base.__dict__]}


@pytest.mark.parametrize(
    "name, record",
    [
        ("check", _records.Check),
        ("analyze", _records.FlowReport),
        ("diff", _records.Comparison),
        ("profile", _records.ProfileReport),
        ("step", _records.KernelStep),
        ("find", _records.FoundRow),
    ],
)
def test_the_keys_of_the_schemas_are_declared(name, record):
    schema = json.loads((ROOT / f"docs/src/schemas/{name}.json").read_text())
    keys = set(schema.get("items", schema)["properties"])
    # Of the command line alone; problems have a name of their own.
    keys -= {"schema"} | {"check": {"path", "diagnostics"}, "diff": {"path"}}.get(name, set())
    assert keys <= declared(record), keys - declared(record)


def test_what_documents_lack_has_attributes():
    check = zeview.open(ROOT / "www/samples/vecadd.bmg.zebin").check()
    assert (check.documents, check.choice, check.imports) == ([], None, [])
    assert check.rebuild is not None and check.rebuild.helps is False
    check = zeview.open(ROOT / "www/samples/matmul.syclbin").check("pvc")
    assert check.documents[0].path and check.choice is not None and check.choice.device == "pvc"
    kernel = zeview.open(ROOT / "www/samples/vecadd.bmg.zebin").kernels()[0]
    assert kernel.unknown.to_dict() == {} and "unknown" not in kernel


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
