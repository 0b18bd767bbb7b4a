"""The tests run on an installed wheel; the command that it installs is the oracle."""

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "www/samples"
COMMAND = Path(sysconfig.get_path("scripts")) / ("zeview.exe" if os.name == "nt" else "zeview")

#: Samples of each kind: a zebin, one with 600 kernels, a container, a program, a damaged file.
NAMES = [
    "vecadd.bmg.zebin",
    "vecadd-O0.bmg.zebin",
    "spill.dg2.zebin",
    "kernels600.dg2.zebin",
    "matmul.syclbin",
    "program.host",
    "damaged.zebin",
]


def command(*arguments, status=(0,)):
    """Runs the installed command and returns its output."""
    ran = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, check=False)
    assert ran.returncode in status, ran.stderr.decode()
    return ran.stdout.decode()


def command_json(*arguments, status=(0,)):
    """Runs the installed command and returns the JSON that it prints."""
    return json.loads(command(*arguments, status=status))


@pytest.fixture(params=NAMES)
def sample(request):
    """The path of each sample."""
    return SAMPLES / request.param


@pytest.fixture
def python():
    """Runs a script in a fresh interpreter and returns what it prints."""

    def run(script, *arguments, timeout=120):
        ran = subprocess.run(
            [sys.executable, "-c", script, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    return run
