"""The declarations of rows, from the library's columns."""

from zeview import _rows, _tables, _zeview

TYPES = {
    "int64": "Optional[int]",
    "float64": "Optional[float]",
    "bool": "Optional[bool]",
    "string": "Optional[str]",
    "list<string>": "Optional[List[str]]",
    "list<int64>": "Optional[List[int]]",
}


def declarations():
    """Returns the text of `_rows.pyi`."""
    out = [
        '"""Rows of tables. Written by BLESS=1 cargo xtask test python, from the library\'s columns."""',
        "",
        "from typing import Dict, List, Optional, Type",
        "",
        "from ._records import Object, Record",
        "",
        "class Row(Record):",
        "    path: str",
        "    @property",
        "    def unknown(self) -> Object:",
        f'        """{_rows.Row.unknown.__doc__}"""',
    ]
    for name, row in _rows.ROWS.items():
        out += ["", f"class {row.__name__}(Row):", f'    """{row.__doc__.splitlines()[0]}"""', ""]
        for id, kind, doc, is_counted in _zeview.columns(name):
            kind = TYPES[_tables._arrow_type(id, kind)]
            if id == "name":
                kind = "str"
            if id == "path":
                continue
            note = " Only if named in columns=[…]." if is_counted else ""
            out += [f"    {id}: {kind}", f'    """{doc}{note}"""']
    out += ["", "ROWS: Dict[str, Type[Row]]", ""]
    return "\n".join(out)
