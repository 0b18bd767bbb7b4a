"""Documents in notebooks: the page in a frame.

With anywidget, the page and the file come through the kernel's connection, and the notebook keeps a
table of the kernels. Without it, the output is HTML with the page and the file in it.
"""

from __future__ import annotations

import base64
import functools
import gzip
import importlib.util
import json
import secrets
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union

from . import _zeview

if TYPE_CHECKING:
    from ._document import Document

#: Maximum size of a file that is shown with anywidget, in bytes: all of it passes through the kernel's
#: connection into the browser's memory.
LIMIT = 64 << 20

#: Maximum size of a file in an output without anywidget, in bytes: the notebook is saved with it.
HTML_LIMIT = 1 << 20

#: Number of rows of the table that is saved with the notebook.
_ROWS = 50

#: Time in seconds during which outputs of HTML share one page, which has 3.3 MB: those of "Run all".
#: A cell that is run again later has its own.
_SHARING = 5.0

#: Shown in place of the widget in saved notebooks, and where widgets are not installed.
_NO_WIDGETS = "Run the cell in a notebook with Jupyter widgets (jupyterlab_widgets) to see the page."

#: What to do about files above the limits.
_WITH_WIDGETS = "Install anywidget to show it."
_TOO_LARGE = (
    "<code>view(limit=…)</code> raises the limit, <code>zeview.open(document.extract(path))</code> "
    "opens one image, and <code>zeview open</code> shows files of any size."
)

#: JupyterLab's error in place of a widget that a saved notebook lacks, below the table.
_HIDDEN_ERROR = (
    '<style>.jp-OutputArea-child:has([data-zeview="{id}"]) + '
    ".jp-OutputArea-child:has(.jupyter-widgets):not(:has(.zeview)) {{ display: none; }}</style>"
)

_FOLDER = Path(__file__).parent
_THEMES = ("auto", "light", "dark")


class View:
    """A document as the output of a notebook's cell. Create it with `Document.view`."""

    __slots__ = ("_document", "_attributes", "_limit")

    def __init__(
        self,
        document: Document,
        height: Union[int, str],
        panel: str,
        select: str,
        panes: Optional[str],
        theme: str,
        limit: int,
    ) -> None:
        if theme not in _THEMES:
            raise ValueError(f"theme must be one of {', '.join(_THEMES)}")
        attributes = {"height": str(height), "panel": panel, "select": select, "theme": theme}
        if panes is not None:
            attributes["panes"] = panes
        self._document = document
        self._attributes = {key: value for key, value in attributes.items() if value or key == "panes"}
        self._limit = limit

    def __repr__(self) -> str:
        return f"<view of {self._document!r}>"

    def _ipython_display_(self) -> None:
        if self._document.closed or not (_has_page() and _has_widgets()):
            # IPython then takes the HTML, or in a terminal the text.
            raise NotImplementedError
        from IPython.display import display

        options = self._options()
        excerpt = self._excerpt(self._limit)
        # A saved notebook has no widget: JupyterLab shows an error in its place, so the table is an
        # output of its own. The widget hides it, and it hides the error.
        html = _element(options, excerpt) + _HIDDEN_ERROR.format(**options)
        display({"text/plain": repr(self._document), "text/html": html}, raw=True)
        if options["size"] <= self._limit:
            display(_widget_class()(self._document, options, excerpt))

    def _repr_html_(self) -> Optional[str]:
        if self._document.closed:
            return None
        limit = min(self._limit, HTML_LIMIT)
        options = self._options()
        element = _element(options, self._excerpt(limit))
        if not _has_page() or options["size"] > limit:
            return element
        content = self._document.bytes((0, options["size"]))
        values = {**options, "file": base64.b64encode(gzip.compress(content, mtime=0)).decode()}
        if _page_is_due():
            values["html"] = _page_text()
        call = f"showHere({_script_json(values)});"
        return f'{element}<script type="module">{_script()}\n{call}</script>'

    def _options(self) -> Dict[str, Any]:
        return {
            "id": secrets.token_hex(8),
            "version": _zeview.__version__,
            "name": self._document.name,
            "size": self._document.size,
            "attributes": self._attributes,
        }

    def _excerpt(self, limit: int) -> str:
        """A summary in HTML, with a table. Of files that are not shown it reads no more than that of
        their images, and says why."""
        document = self._document
        size = document.size
        lists = ["kernels"] if size <= LIMIT else []
        excerpt = document._native.excerpt([*lists, "images", "modules"], _ROWS)
        if size <= limit:
            return excerpt
        # With anywidget, only the view's own limit counts.
        exceeded, advice = (limit, _WITH_WIDGETS) if size <= self._limit else (self._limit, _TOO_LARGE)
        note = f"The page is not shown here: the file has {size:,} bytes, more than {exceeded:,}."
        return f"{excerpt}<p>{note} {advice}</p>"


def _element(options: Dict[str, Any], excerpt: str) -> str:
    return f'<div data-zeview="{options["id"]}">{excerpt}</div>'


def _script_json(values: Any) -> str:
    """JSON that cannot end a script element."""
    return json.dumps(values).replace("<", "\\u003c")


def _has_page() -> bool:
    """Whether the wheel contains the page. Those of tests may lack it."""
    return (_FOLDER / "page/zeview.html").is_file()


def _page_text() -> str:
    return (_FOLDER / "page/zeview.html").read_text(encoding="utf-8")


@functools.lru_cache(maxsize=None)
def _packed_page() -> bytes:
    return gzip.compress(_page_text().encode(), mtime=0)


@functools.lru_cache(maxsize=None)
def _script() -> str:
    files = (_FOLDER / "page/zeview-embed.js", _FOLDER / "notebook.js")
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


_page_time: List[float] = []


def _page_is_due() -> bool:
    """Whether an output must contain the page, because no other one of this moment does."""
    now = time.monotonic()
    if _page_time and now - _page_time[-1] < _SHARING:
        return False
    _page_time[:] = [now]
    return True


def _has_widgets() -> bool:
    """Whether this runs in a notebook's kernel, with anywidget installed."""
    if importlib.util.find_spec("anywidget") is None or importlib.util.find_spec("IPython") is None:
        return False
    from IPython import get_ipython

    return hasattr(get_ipython(), "kernel")


@functools.lru_cache(maxsize=None)
def _widget_class() -> Any:
    import anywidget
    import traitlets

    class Widget(anywidget.AnyWidget):  # type: ignore[misc]
        _esm = _script()
        _options = traitlets.Dict().tag(sync=True)
        _excerpt = traitlets.Unicode().tag(sync=True)

        def __init__(self, document: Document, options: Dict[str, Any], excerpt: str) -> None:
            super().__init__(_options=options, _excerpt=excerpt)
            self._document = document
            self.on_msg(lambda _, content, __: self._answer(content))

        def _repr_mimebundle_(self, **arguments: Any) -> Any:
            made = super()._repr_mimebundle_(**arguments)
            (made[0] if isinstance(made, tuple) else made)["text/plain"] = _NO_WIDGETS
            return made

        def _answer(self, request: Dict[str, Any]) -> None:
            answer = {"id": request.get("id")}
            try:
                self.send(answer, [_answered(self._document, request)])
            except (_zeview.Error, ValueError, OverflowError, TypeError, KeyError) as error:
                self.send({**answer, "error": str(error)})

    return Widget


def _answered(document: Document, request: Dict[str, Any]) -> bytes:
    """The compressed page, or bytes of the file."""
    if request.get("page"):
        return _packed_page()
    return gzip.compress(document.bytes((request["start"], request["end"])), 1, mtime=0)


__all__ = ["LIMIT", "View"]
