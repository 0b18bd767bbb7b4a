"""Documents and the nodes of their trees."""

from __future__ import annotations

import builtins
import errno
import json
import os
import stat
from collections.abc import Sequence
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union, overload

from . import _zeview
from ._notebook import LIMIT, View
from ._records import (
    Check,
    Comparison,
    Fact,
    FlowReport,
    FoundRow,
    Instruction,
    KernelStep,
    Problem,
    ProfileReport,
    Severity,
    Span,
    Summary,
    Value,
)
from ._rows import DeviceRow, Image, Kernel, Module, Relocation, SourceLine, Symbol
from ._tables import Table
from ._text import visible

#: The number of children that are read at once.
_PAGE = 256

KernelName = Union[str, Kernel]

#: Names of columns: a sequence, or one text, with commas between several.
Columns = Union[str, Sequence[str]]

#: A file of a profile, or all files of a run: paths or contents.
ProfileFile = Union[str, "os.PathLike[str]", bytes]
ProfileFiles = Union[ProfileFile, Sequence[ProfileFile]]


def open(file: Any, name: Optional[str] = None) -> Document:
    """Opens a file, a folder, or bytes in memory.

    `file` is a path (`str`, `os.PathLike`), `bytes`, or any object with the buffer protocol, such as
    `mmap.mmap`, `memoryview`, `bytearray` or a `numpy` array. Files and buffers are read in pieces, as
    far as needed, and `bytes` are not copied: buffers must not change while the document is open.
    `name` is the name in the tree, by default that of the file. Tables of a folder or package are those
    of all its files.

    Damaged bytes are not an error: see `Document.problems`.

    Raises `OSError` for paths that cannot be opened, and `TypeError` for other objects.
    """
    if isinstance(file, (str, os.PathLike)):
        path = os.fsdecode(file)
        name = _utf8(name or os.path.basename(os.path.abspath(path)))
        if os.path.isdir(path):
            os.scandir(path).close()
            native = _zeview.Document.open_folder(path, name)
        else:
            _require_file(path)
            native = _zeview.Document.open_file(path, name)
    elif isinstance(file, bytes):
        native = _zeview.Document.open_bytes(file, _utf8(name or "bytes"))
    else:
        view = memoryview(file)
        if view.ndim != 1 or view.format != "B" or not view.contiguous:
            view = view.cast("B")
        native = _zeview.Document.open_view(view, _utf8(name or "buffer"))
    return Document(native)


def _utf8(name: str) -> str:
    """A name of a file with U+FFFD for what is not UTF-8, as the command line prints it."""
    return os.fsencode(name).decode("utf-8", "replace")


def _require_file(path: str) -> None:
    """Raises the `OSError` of a path that is no readable file, with its name."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError(errno.EINVAL, "not a regular file", path)
    with builtins.open(path, "rb"):
        pass


class Document:
    """A decoded file. Create it with `zeview.open`.

    It can be used from any thread, and other threads of Python go on while it works. Close it, or use
    it in a `with` statement, to release the file or buffer at once.
    """

    __slots__ = ("_native", "_summary", "__weakref__")

    def __init__(self, native: _zeview.Document) -> None:
        self._native = native
        self._summary: Optional[Summary] = None

    def close(self) -> None:
        """Releases the file or buffer. Other methods raise `ValueError` afterwards."""
        self._native.close()

    @property
    def closed(self) -> bool:
        """Whether the document is closed."""
        return self._native.closed

    def __enter__(self) -> Document:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return "<zeview document, closed>"
        summary = self.summary
        facts = [fact.text for fact in summary.facts if fact.headline]
        return f"<zeview document {summary.name!r}: {visible(' · '.join([summary.title, *facts]))}>"

    def view(
        self,
        height: Union[int, str] = 480,
        panel: str = "kernels",
        select: str = "",
        panes: Optional[str] = None,
        theme: str = "auto",
        limit: int = LIMIT,
    ) -> View:
        """The page with this document, as the output of a notebook's cell: see `zeview.View`.

        If the last line of a cell is a document, the notebook shows it. This method chooses how. `height` is a number of
        pixels, a CSS length, or "auto"; `panel` ("assembly"), `select` ("k=vecadd"), `panes` ("none") and
        `theme` ("dark") are the attributes of the element `zeview-embed`. Files of more than `limit` bytes
        are shown as a table of their images.
        """
        return View(self, height, panel, select, panes, theme, limit)

    def _ipython_display_(self) -> None:
        self.view()._ipython_display_()

    def _repr_html_(self) -> Optional[str]:
        return self.view()._repr_html_()

    @property
    def summary(self) -> Summary:
        """Name, size, format, facts, and how many bytes are explained."""
        if self._summary is None:
            self._summary = Summary(json.loads(self._native.summary()))
        return self._summary

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.summary.name

    @property
    def size(self) -> int:
        """The size of the file in bytes."""
        return self.summary.size

    @property
    def format(self) -> str:
        """The identifier of the format: "zebin", "syclbin", "elf", "spirv", "raw" …"""
        return self.summary.format

    @property
    def facts(self) -> List[Fact]:
        """Notable facts about the file, the most important first."""
        return self.summary.facts

    @property
    def problems(self) -> List[Problem]:
        """The problems of the file and of all documents in it, by position."""
        return [Problem(values) for values in json.loads(self._native.problems())]

    def check(self, device: Optional[str] = None, driver: Optional[str] = None) -> Check:
        """Predicts what the driver does with the file, by default on its own device and in the newest
        release that was observed; `driver` names another release ("25.18", "lts2")."""
        return Check(json.loads(self._native.check(device, driver)))

    def _list(
        self,
        name: str,
        filter: str = "",
        sort: str = "",
        columns: Columns = (),
        device: Optional[str] = None,
    ) -> Table[Any]:
        named = _named(columns)
        rows: List[Dict[str, Any]] = json.loads(self._native.list(name, filter, sort, device, named))
        for row in rows:
            # The rows of images have a path of their own.
            path = row.pop("file")
            row.setdefault("path", path)
        return Table(name, rows, named)

    def kernels(
        self,
        filter: str = "",
        sort: str = "",
        columns: Columns = (),
        device: Optional[str] = None,
    ) -> Table[Kernel]:
        """The kernels: for a container or library, of all images in it.

        `filter` is a query as for `zeview kernels --filter` ("spill_size>0"), `sort` the id of a column,
        with a prefix "-" for the largest first, and `columns` names further columns that are counted
        from the code ("instructions", "spill_messages", "loops"), or one of them. `device` is the same as the filter
        "device=…", for containers, and must be a known device or one that the file names ("no-device").
        """
        if device is not None:
            quoted = json.dumps(device, ensure_ascii=False)
            filter = f"({filter}) and device={quoted}" if filter.strip() else f"device={quoted}"
        return self._list("kernels", filter, sort, columns, device)

    def images(self, filter: str = "", sort: str = "", device: Optional[str] = None) -> Table[Image]:
        """The device images of a container or library; with a device, which of them run on it."""
        return self._list("images", filter, sort, (), device)

    def symbols(self, filter: str = "", sort: str = "") -> Table[Symbol]:
        """The symbols of the file, or of the images in it."""
        return self._list("symbols", filter, sort)

    def relocations(self, filter: str = "", sort: str = "") -> Table[Relocation]:
        """The relocations of the file, or of the images in it."""
        return self._list("relocations", filter, sort)

    def modules(self, filter: str = "", sort: str = "") -> Table[Module]:
        """The abstract modules of a SYCLBIN."""
        return self._list("modules", filter, sort)

    def devices(self, filter: str = "", sort: str = "") -> Table[DeviceRow]:
        """The devices, with the driver's verdict on the file for each."""
        return self._list("devices", filter, sort)

    def source_lines(self, filter: str = "", sort: str = "", columns: Columns = ()) -> Table[SourceLine]:
        """The source lines of the code, from the debug information.

        `columns` names further columns that are counted from the code: "cycles", "waits", "live", "spills", "fills".
        """
        return self._list("source-lines", filter, sort, columns)

    def kernel(
        self,
        name: str,
        path: Optional[str] = None,
        *,
        device: Optional[str] = None,
        image: Optional[str] = None,
        file: Optional[str] = None,
        columns: Columns = (),
    ) -> Kernel:
        """The row of a kernel.

        `name` is its name in the file, its demangled name, the short name that tables print, or a pattern
        (`*`, `?`). If it has several builds, choose one: by the `device`, by the `image` (its name or
        number in the table of kernels, or a pattern), by the `file` of a package or folder (its path, or
        the end of its path), or by the `path` of the document with it. `columns` names further columns
        that are counted from the code.

        Raises `zeview.Error`: "no-kernel" with suggestions if there is none, and "several-kernels" with a
        list of the builds if there are several.
        """
        named = _named(columns)
        row = json.loads(self._native.kernel(_query(name, path, device, image, file), named))
        path = row.pop("file")
        row.setdefault("path", path)
        return Table("kernels", [row], named)[0]

    def disassemble(
        self,
        kernel: KernelName,
        path: Optional[str] = None,
        *,
        device: Optional[str] = None,
        image: Optional[str] = None,
        file: Optional[str] = None,
    ) -> str:
        """The code of a kernel as assembly, as `zeview disasm` prints it.

        `kernel` is a row of `kernels()`, or a name as for `kernel()`.
        """
        return self._native.disassemble(_query(kernel, path, device, image, file))

    def spirv(
        self,
        kernel: Optional[KernelName] = None,
        path: Optional[str] = None,
        *,
        device: Optional[str] = None,
        image: Optional[str] = None,
        file: Optional[str] = None,
        raw_ids: bool = False,
    ) -> str:
        """The SPIR-V of the file as text, as `zeview disasm --spirv` prints it.

        Of all its modules, or of those that have a kernel. `kernel` is a row of `kernels()`, or a
        name as for `kernel()`. With `raw_ids`, ids are numbers.
        """
        query = _query("" if kernel is None else kernel, path, device, image, file)
        return self._native.spirv(query, raw_ids)

    def step(
        self,
        kernel: KernelName,
        path: Optional[str] = None,
        *,
        device: Optional[str] = None,
        image: Optional[str] = None,
        file: Optional[str] = None,
        sources: Optional[Mapping[str, str]] = None,
    ) -> KernelStep:
        """The source, SPIR-V, vISA and instructions of a kernel, tied line by line.

        As `zeview step --json` prints it. `sources` are the texts of source files by name; SPIR-V may
        contain the text.
        """
        query = _query(kernel, path, device, image, file)
        return KernelStep(json.loads(self._native.step(query, list((sources or {}).items()))))

    def find_code(
        self,
        query: str,
        *,
        rows: bool = False,
        limit: Optional[int] = None,
        kernel: KernelName = "",
        device: Optional[str] = None,
        image: Optional[str] = None,
        file: Optional[str] = None,
    ) -> List[FoundRow]:
        """The kernels whose code has what a query describes, as `zeview find --json` prints them.

        With `rows`, each instruction. The query has conditions on instructions and kernels, and
        sequences: `"marks=fill writes=?a then marks=spill reads=?a"`. The options choose the kernels.

        Raises `zeview.Error` as `kernel()` does ("no-kernel") if nothing has the kernel, image or file.
        """
        kernels = _query(kernel, None, device, image, file)
        found = self._native.find_code(query, rows, limit, kernels)
        return [FoundRow(row) for row in json.loads(found)]

    def instructions(
        self,
        kernel: KernelName,
        path: Optional[str] = None,
        *,
        device: Optional[str] = None,
        image: Optional[str] = None,
        file: Optional[str] = None,
    ) -> List[Instruction]:
        """The instructions of a kernel, with their data flow."""
        found = json.loads(self._native.instructions(_query(kernel, path, device, image, file)))
        return [Instruction(values) for values in found]

    def analyze(
        self,
        kernel: KernelName,
        path: Optional[str] = None,
        *,
        device: Optional[str] = None,
        image: Optional[str] = None,
        file: Optional[str] = None,
        other_builds: bool = False,
    ) -> FlowReport:
        """The summary of a kernel's data flow: live registers, spills, loops, waits.

        With `other_builds`, also the figures of the kernel's other builds in the file, which takes as long as
        the summaries of these.
        """
        query = _query(kernel, path, device, image, file)
        return FlowReport(json.loads(self._native.analyze(query, other_builds)))

    def profile(self, files: ProfileFiles, before: Optional[ProfileFiles] = None) -> ProfileReport:
        """Finds the kernels of a profile of unitrace or GTPin in the file, as `zeview profile --json` prints them.

        `files` is a path or `bytes`, or several files of a run. Names may state the device ("metrics_1.csv").
        `before` is an earlier profile of the same file. Afterwards, `kernels` has the samples, metrics and device
        times as columns: `columns=["samples", "XVE_STALL[%]"]`.
        """
        earlier = None if before is None else _profile_files(before)
        return ProfileReport(json.loads(self._native.profile(_profile_files(files), earlier)))

    def diff(self, other: Document, everything: bool = False) -> Comparison:
        """Compares with a newer file: `before.diff(after)`, as `zeview diff before after` does.

        Of libraries and packages whose kernels differ, images, properties, sections and symbols are compared
        only with `everything`; without it, `complete` is false.
        """
        return Comparison(json.loads(other._native.diff(self._native, everything)))

    def tree(self) -> Node:
        """The root of the tree of all values in the file."""
        return Node(self, (), json.loads(self._native.node([])))

    def _node(self, place: Sequence[int]) -> Node:
        return Node(self, tuple(place), json.loads(self._native.node(list(place))))

    def find(self, path: str) -> List[Node]:
        """The nodes at a path as `zeview ls` prints it, or that match a pattern (`*`, `?`, `**`).

        Raises `zeview.Error` ("no-path") if there are none.
        """
        return [self._node(place) for place in self._native.find(path)]

    def nodes_at(self, offset: int, source: int = 0) -> List[Node]:
        """The nodes that contain a byte, outermost first."""
        return [self._node(place) for place in self._native.nodes_at(source, offset)]

    def bytes(self, span: Union[Span, Tuple[int, int], Tuple[int, int, int]]) -> builtins.bytes:
        """Reads bytes: of a span, or from `start` to `end` of the file. They are clipped to its end.

        Raises `zeview.Error` ("no-source") for a span of unpacked data that are not there: those of before an interrupted
        call. `Node.bytes` reads them again.
        """
        source, start, end = span if len(span) == 3 else (0, *span)
        return self._native.bytes(source, start, end)

    def extract(self, path: str, packed: bool = False) -> builtins.bytes:
        """The bytes of the part of the file at a path, as `zeview extract` writes them.

        Those of a compressed device image are decompressed unless `packed`.
        """
        return self.bytes(self._native.part(path, packed))


def _named(columns: Columns) -> List[str]:
    if isinstance(columns, str):
        return [name.strip() for name in columns.split(",") if name.strip()]
    return list(columns)


def _profile_files(files: ProfileFiles) -> List[Tuple[str, Optional[str], Optional[builtins.bytes]]]:
    if isinstance(files, (str, os.PathLike, bytes)):
        files = [files]
    found: List[Tuple[str, Optional[str], Optional[builtins.bytes]]] = []
    for file in files:
        if isinstance(file, bytes):
            found.append(("", None, file))
        else:
            path = os.fsdecode(file)
            found.append((_utf8(os.path.basename(path)), path, None))
    return found


def _query(
    kernel: KernelName,
    path: Optional[str],
    device: Optional[str],
    image: Optional[str],
    file: Optional[str],
) -> Tuple[str, Optional[str], Optional[str], Optional[str], Optional[str]]:
    if isinstance(kernel, str):
        return kernel, path, device, image, file
    return kernel.name, kernel.path or path, device, image, file


class Node:
    """A row of the tree: a value with its bytes, or a part of the file with others in it.

    Children are read on demand. A node stays valid as long as its document is open.
    """

    __slots__ = ("_document", "_place", "_values")

    def __init__(self, document: Document, place: Tuple[int, ...], values: Dict[str, Any]) -> None:
        self._document = document
        self._place = place
        self._values = values

    @property
    def document(self) -> Document:
        """Its document."""
        return self._document

    @property
    def name(self) -> str:
        """Its name."""
        return self._values["name"]

    @property
    def index(self) -> int:
        """Its index among its siblings."""
        return self._values["index"]

    @property
    def kind(self) -> str:
        """What it is: "file", "record", "field", "table", "item", "instruction" …"""
        return self._values["kind"]

    @property
    def area(self) -> str:
        """The area of the file: "header", "code", "meta", "data", "symbol" …"""
        return self._values["area"]

    @property
    def value(self) -> Value:
        """Its value. `None` for nodes that only contain others, and for bytes (see `bytes`)."""
        value = self._values["value"]
        for key in ("raw", "number", "yes", "text"):
            if key in value:
                return value[key]
        return None

    @property
    def symbol(self) -> Optional[str]:
        """The specification's name of its value."""
        return self._values["value"].get("symbol")

    @property
    def flags(self) -> Optional[List[str]]:
        """For a word of named bits: the names of those that are set."""
        return self._values["value"].get("set")

    @property
    def text(self) -> str:
        """Its value in one line, as `zeview dump` prints it; may be empty."""
        return self._values["text"]

    @property
    def summary(self) -> Optional[str]:
        """A short description of its content."""
        return self._values["summary"]

    @property
    def span(self) -> Optional[Span]:
        """Its bytes; `None` for values that were computed."""
        span = self._values["span"]
        return span and Span(span["source"], span["start"], span["end"])

    @property
    def severity(self) -> Optional[Severity]:
        """The highest severity of the problems of its bytes: "info", "warning", "error"."""
        return self._values["severity"]

    @property
    def doc(self) -> Optional[str]:
        """The meaning of its value."""
        return self._values["doc"] and self._values["doc"]["text"]

    @property
    def path(self) -> str:
        """Its path, for `find` and `extract`."""
        return self._document._native.path(list(self._place))

    @property
    def parent(self) -> Optional[Node]:
        """The node that contains it; `None` for the root."""
        return self._document._node(self._place[:-1]) if self._place else None

    @property
    def children(self) -> Children:
        """The nodes in it."""
        return Children(self)

    def bytes(self) -> builtins.bytes:
        """Its bytes; empty for values that were computed."""
        if self.span is None:
            return b""
        try:
            return self._document.bytes(self.span)
        except _zeview.Error as error:
            if error.code != "no-source":
                raise
        # A call was interrupted since: what is unpacked has another number now.
        self._values = json.loads(self._document._native.node(list(self._place)))
        return b"" if self.span is None else self._document.bytes(self.span)

    def to_dict(self) -> Dict[str, Any]:
        """All that is known about it, as plain data, without its children."""
        return {key: value for key, value in self._values.items() if key not in ("id", "parent")}

    def __getitem__(self, name: str) -> Node:
        """The first child with a name."""
        for child in self.children:
            if child.name == name:
                return child
        raise KeyError(name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return self._document is other._document and self._place == other._place

    def __hash__(self) -> int:
        return hash((id(self._document), self._place))

    def __repr__(self) -> str:
        span = "" if self.span is None else f" {self.span.start:#x}..{self.span.end:#x}"
        text = self.text or self.summary or ""
        return f"<{visible(self.kind)} {self.name!r}{span}{': ' if text else ''}{visible(text)}>"


class Children(Sequence["Node"]):
    """The children of a node, read in pages."""

    __slots__ = ("_node", "_pages")

    def __init__(self, node: Node) -> None:
        self._node = node
        self._pages: Dict[int, List[Node]] = {}

    def __len__(self) -> int:
        return self._node._values["count"]

    def _page(self, number: int) -> List[Node]:
        if number not in self._pages:
            node, start = self._node, number * _PAGE
            found = json.loads(node._document._native.children(list(node._place), start, _PAGE))
            # A walk over millions of children keeps one page.
            self._pages = {
                number: [
                    Node(node._document, (*node._place, start + at), values)
                    for at, values in enumerate(found)
                ]
            }
        return self._pages[number]

    @overload
    def __getitem__(self, index: int) -> Node: ...
    @overload
    def __getitem__(self, index: slice) -> List[Node]: ...
    def __getitem__(self, index: Union[int, slice]) -> Union[Node, List[Node]]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(index)
        return self._page(at // _PAGE)[at % _PAGE]

    def __iter__(self) -> Iterator[Node]:
        return (self[at] for at in range(len(self)))

    def __repr__(self) -> str:
        return f"<{len(self)} children of {self._node.name!r}>"


__all__ = ["Children", "Document", "Node", "open"]
