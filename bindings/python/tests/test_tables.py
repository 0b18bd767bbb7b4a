"""Tables as data frames and as Arrow."""

import copy
import json
import pickle

import pytest
from conftest import SAMPLES

import zeview

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")


def test_the_same_values_everywhere(sample):
    kernels = zeview.open(sample).kernels(columns=["instructions"])
    rows = [{id: row[id] for id in kernels.columns} for row in kernels.to_dicts()]
    assert pyarrow.table(kernels).to_pylist() == rows
    assert kernels.to_polars().to_dicts() == polars.DataFrame(kernels).to_dicts() == rows
    frame = kernels.to_pandas()
    assert list(frame.columns) == kernels.columns
    assert len(frame) == len(rows)
    for id in ("name", "simd_size", "spill_size", "flags", "has_barriers"):
        if id in frame:
            values = [None if value is pandas.NA else value for value in frame[id]]
            assert values == [row[id] for row in rows]


def test_types_do_not_depend_on_the_rows():
    document = zeview.open(SAMPLES / "vecadd.bmg.zebin")
    full, empty = document.kernels(), document.kernels("name=nothing")
    assert len(full) == 1 and len(empty) == 0
    assert pyarrow.table(full).schema == pyarrow.table(empty).schema
    assert full.to_pandas().dtypes.equals(empty.to_pandas().dtypes)
    assert full.to_polars().schema == empty.to_polars().schema
    assert pyarrow.table(full).schema.field("spill_size").type == pyarrow.int64()


def test_numbers_that_do_not_fit():
    table = zeview.Table("symbols", [{"value": (1 << 64) - 1, "size": -1}, {"value": 0, "size": 1 << 63}])
    arrow = pyarrow.table(table)
    assert arrow["value"].to_pylist() == [(1 << 64) - 1, 0]
    assert arrow["size"].to_pylist() == [-1.0, float(1 << 63)]


def test_a_stream_that_no_one_reads():
    kernels = zeview.open(SAMPLES / "kernels600.dg2.zebin").kernels()
    for _ in range(20):
        kernels.__arrow_c_stream__()
    stream = kernels.__arrow_c_stream__()
    reader = pyarrow.RecordBatchReader._import_from_c_capsule(stream)
    assert reader.read_all().num_rows == len(kernels)


def test_rows():
    kernels = zeview.open(SAMPLES / "kernels600.dg2.zebin").kernels()
    first = kernels[0]
    assert isinstance(first, zeview.Kernel) and first == kernels[0] != kernels[1]
    assert kernels[-1] == kernels[len(kernels) - 1]
    assert kernels[2:4] == [kernels[2], kernels[3]]
    assert pickle.loads(pickle.dumps(first)) == first == copy.deepcopy(first)
    assert json.loads(json.dumps(first.to_dict())) == first.to_dict()
    assert "simd_size" in dir(first) and "name=" in repr(first)
    with pytest.raises(AttributeError, match="columns="):
        first.instructions
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        first.nothing
    with pytest.raises(AttributeError):
        first.name = "other"
