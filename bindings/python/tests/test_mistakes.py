"""What the package says about names that do not exist: the same as the command line."""

import json

import pytest
from conftest import ROOT, SAMPLES

import zeview

CASES = json.loads((ROOT / "tests/fixtures/mistakes/cases.json").read_text())
CALLED = [case for case in CASES if case["call"]]


@pytest.mark.parametrize("case", CALLED, ids=lambda case: f"{case['call']} {case['code']}")
def test_mistakes(case):
    with zeview.open(SAMPLES / "vecadd.bmg.zebin") as document:
        options = dict(case["options"])
        call = getattr(document, case["call"], None)
        if case["call"] == "list":
            call = document._list
        positional = [options.pop("name")] if "name" in options else []
        with pytest.raises(zeview.Error) as raised:
            call(*positional, **options)
        assert str(raised.value).startswith(case["says"])
        assert raised.value.code == case["code"]
