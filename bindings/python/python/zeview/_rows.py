"""Rows of tables. `_rows.pyi` has the types of their attributes, which are the ids of the columns."""

from __future__ import annotations

from typing import Any, Iterator

from . import _zeview
from ._records import Object, Record


class Row(Record):
    """A row of a table: the ids of the columns are attributes.

    `path` is the path of the row's document within the file; it is empty for the file itself.
    """

    __slots__ = ()
    _list = ""

    @property
    def unknown(self) -> Object:
        """The columns that are None because their values are unknown, with the reasons."""
        return Object(self._values.get("unknown", {}))

    def _missing(self, name: str) -> str:
        counted = [id for id, _, _, is_counted in _zeview.columns(self._list) if is_counted]
        if name in counted:
            return f"{name!r} is counted from the code on demand: name it in columns=[{name!r}]"
        return super()._missing(name)

    def _shown(self) -> Iterator[Any]:
        # Dozens of properties are false.
        return (item for item in self._values.items() if item[1] not in (None, False, [], ""))


class Kernel(Row):
    """A kernel."""

    __slots__ = ()
    _list = "kernels"


class Relocation(Row):
    """A relocation."""

    __slots__ = ()
    _list = "relocations"


class Symbol(Row):
    """A symbol."""

    __slots__ = ()
    _list = "symbols"


class Module(Row):
    """An abstract module of a SYCLBIN."""

    __slots__ = ()
    _list = "modules"


class Image(Row):
    """A device image."""

    __slots__ = ()
    _list = "images"


class DeviceRow(Row):
    """A device, with the driver's verdict on a file."""

    __slots__ = ()
    _list = "devices"


class SourceLine(Row):
    """A range of code with its source line."""

    __slots__ = ()
    _list = "source-lines"


#: The types of rows, by the name of the list.
ROWS = {
    row._list: row
    for row in (Kernel, Relocation, Symbol, Module, Image, DeviceRow, SourceLine)
}


def _document(row: type[Row]) -> None:
    """Adds the columns to the documentation of a type: `help(zeview.Kernel)`."""
    lines = [row.__doc__ or "", "", "Attributes, which are the columns:", ""]
    for id, _, doc, is_counted in _zeview.columns(row._list):
        note = f" Only if named in columns=[{id!r}]." if is_counted else ""
        lines.append(f"{id}: {doc}{note}")
    row.__doc__ = "\n".join(lines)


for _row in ROWS.values():
    _document(_row)
