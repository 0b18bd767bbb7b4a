"""Tables in HTML, for notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

from ._text import visible

#: Maximum number of rows.
ROWS = 50

#: Maximum length of a cell, in characters.
LONG = 120


def text(value: Any) -> str:
    """The text of a cell."""
    if value is None:
        shown = ""
    elif isinstance(value, bool):
        shown = "yes" if value else "no"
    elif isinstance(value, float):
        shown = f"{value:.6g}"
    elif isinstance(value, list):
        shown = ", ".join(str(item) for item in value)
    else:
        shown = str(value)
    if len(shown) > LONG:
        shown = shown[: LONG // 2] + "…" + shown[-LONG // 2 :]
    return escaped(shown)


def escaped(value: Any) -> str:
    """Text in one line, in which nothing is markup."""
    return html.escape(visible(value))


def table(titles: Sequence[str], rows: Iterable[Sequence[Any]], count: int, words: str) -> str:
    """A table of the first rows, with a line that says how many there are."""
    shown = [list(row) for _, row in zip(range(ROWS), rows)]
    head = "".join(f"<th>{escaped(title)}</th>" for title in titles)
    body = "".join(
        "<tr>" + "".join(f"<td>{text(value)}</td>" for value in row) + "</tr>" for row in shown
    )
    counted = f"{len(shown)} of {count} {words}" if len(shown) < count else f"{count} {words}"
    return (
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"<p>{escaped(counted)}</p>"
    )


__all__ = ["ROWS", "escaped", "table"]
