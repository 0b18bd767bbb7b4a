"""Text from files, for terminals: `repr` and messages of errors."""

from __future__ import annotations


def visible(text: object) -> str:
    """The text in one line, with characters that a terminal obeys or does not show as escapes."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(text))


__all__ = ["visible"]
