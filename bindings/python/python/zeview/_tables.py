"""Tables: sequences of rows that convert to data frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Dict, Generic, Iterator, List, Mapping, Tuple, Type, TypeVar, Union, overload

from . import _html, _zeview
from ._rows import ROWS, Row

if TYPE_CHECKING:
    import pandas
    import polars

R = TypeVar("R", bound=Row)

#: The columns of numbers that are not whole, and of texts that are lists of numbers.
_REAL = {"spill_dwords_per_lane"}
_INTEGERS = {"required_work_group_size"}

_PANDAS = {
    "bool": "boolean",
    "int64": "Int64",
    "uint64": "UInt64",
    "float64": "Float64",
    "string": "string",
}


class Table(Generic[R]):
    """Rows of a list of a document.

    It is a sequence of rows, a `pandas` or `polars` data frame (`to_pandas`, `to_polars`), and a table for any
    library that reads the Arrow PyCapsule interface, such as `pyarrow.table(kernels)`. It is no
    `collections.abc.Sequence`, because such libraries would take it as a list of objects.
    """

    __slots__ = ("_columns", "_name", "_named", "_rows")

    def __init__(self, name: str, rows: List[Dict[str, Any]], named: Sequence[str] = ()) -> None:
        self._name = name
        self._rows = rows
        columns = _zeview.columns(name)
        #: Ids and types, in the order of the table.
        self._columns = [
            (id, _arrow_type(id, kind))
            for id, kind, _, is_counted in columns
            if not is_counted or id in named
        ]
        known = {id for id, _, _, _ in columns}
        #: The columns of a profile, whose metrics have names of their own.
        self._columns += [(id, "int64") for id in named if id not in known]
        self._named = [id for id, _ in self._columns if id in named]
        if not any(id == "path" for id, _ in self._columns):
            self._columns.append(("path", "string"))

    @property
    def columns(self) -> List[str]:
        """The ids of the columns."""
        return [id for id, _ in self._columns]

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> R: ...
    @overload
    def __getitem__(self, index: slice) -> List[R]: ...
    def __getitem__(self, index: Union[int, slice]) -> Union[R, List[R]]:
        make: Type[Any] = ROWS[self._name]
        if isinstance(index, slice):
            return [make(values) for values in self._rows[index]]
        return make(self._rows[index])

    def __iter__(self) -> Iterator[R]:
        make: Type[Any] = ROWS[self._name]
        return (make(values) for values in self._rows)

    def __repr__(self) -> str:
        return f"<zeview table of {len(self)} {self._name}>"

    def _repr_html_(self) -> str:
        """The first rows, for notebooks: the columns that tables show by default, if they have values, and those
        that were named. Kernels have their short names."""
        rows = self._rows[: _html.ROWS]
        default = _zeview.default_columns(self._name)
        filled = [id for id in default if any(row.get(id) not in (None, [], "") for row in rows)]
        shown = filled + [id for id in self._named if id not in filled]

        def value(row: Dict[str, Any], id: str) -> Any:
            return row.get("short_name") or row.get(id) if id == "name" else row.get(id)

        cells = ([value(row, id) for id in shown] for row in rows)
        words = "rows" if self._name == "source-lines" else self._name
        return _html.table(shown, cells, len(self), words)

    def to_dicts(self) -> List[Dict[str, Any]]:
        """The rows as dictionaries."""
        return [dict(values) for values in self._rows]

    def _values(self, id: str) -> List[Any]:
        return [values.get(id) for values in self._rows]

    def _typed(self) -> Iterator[Tuple[str, str, List[Any]]]:
        for id, kind in self._columns:
            values = self._values(id)
            if kind == "int64":
                kind = _integer_type(values)
            yield id, kind, values

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return _zeview.arrow_stream(list(self._typed()), len(self))

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame of pandas, with nullable types."""
        import pandas

        columns: Mapping[str, Any] = {
            id: pandas.Series(values, dtype=_PANDAS.get(kind, "object"))
            for id, kind, values in self._typed()
        }
        return pandas.DataFrame(columns)

    def to_polars(self) -> polars.DataFrame:
        """A data frame of polars."""
        import polars

        return polars.DataFrame(self)


def _arrow_type(id: str, kind: str) -> str:
    if id in _INTEGERS:
        return "list<int64>"
    if kind == "number":
        return "float64" if id in _REAL else "int64"
    return {"words": "list<string>", "bool": "bool"}.get(kind, "string")


def _integer_type(values: List[Any]) -> str:
    """The type of a column of whole numbers: damaged files have numbers that do not fit."""
    numbers = [value for value in values if value is not None]
    if all(isinstance(value, int) and -(1 << 63) <= value < 1 << 63 for value in numbers):
        return "int64"
    if all(isinstance(value, int) and 0 <= value < 1 << 64 for value in numbers):
        return "uint64"
    return "float64"
