"""Objects with the values of the library's JSON as attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Iterator,
    List,
    Literal,
    NamedTuple,
    Optional,
    Tuple,
    Union,
    get_args,
)

from . import _html, _zeview
from ._text import visible

#: What the driver does with a file, from best to worst.
Outcome = Literal[
    "loads",
    "loads-with-warnings",
    "needs-linking",
    "recompiled",
    "refused",
    "link-failure",
    "may-crash",
    "does-not-run",
    "not-judged",
]

#: The outcomes, from best to worst, and those with which a file is loaded.
_OUTCOMES: Tuple[str, ...] = get_args(Outcome)
_LOADS = _OUTCOMES[: _OUTCOMES.index("refused")]

#: What the driver does about a problem.
Effect = Literal[
    "passes",
    "warns",
    "needs-linking",
    "recompiles",
    "refuses",
    "link-fails",
    "crashes",
    "not-judged",
]

#: How serious a problem is.
Severity = Literal["info", "warning", "error"]

#: How good or bad a fact is.
Tone = Literal["plain", "good", "warning", "bad"]


class Span(NamedTuple):
    """A range of bytes: `end` is exclusive. Source 0 is the file, others are unpacked from it."""

    source: int
    start: int
    end: int

    @property
    def size(self) -> int:
        """The number of bytes."""
        return self.end - self.start


class Record:
    """An object of the library's JSON: its keys are attributes. `to_dict` returns plain data.

    Type checkers know the attributes that a class declares, and report others; `record["name"]` is any value.
    """

    __slots__ = ("_values",)
    _values: Dict[str, Any]

    def __init__(self, values: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_values", dict(values))

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # `copy` and `pickle` look for methods before there are values.
            if name.startswith("__") or name == "_values":
                raise AttributeError(name)
            try:
                value = self._values[name]
            except KeyError:
                raise AttributeError(self._missing(name)) from None
            return _wrapped(value)

    def _missing(self, name: str) -> str:
        return f"{type(self).__name__} has no attribute {name!r}"

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __getitem__(self, name: str) -> Any:
        return _wrapped(self._values[name])

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def keys(self) -> Iterator[str]:
        """The names of the values."""
        return iter(self._values)

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self._values]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Record):
            return NotImplemented
        return type(self) is type(other) and self._values == other._values

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> Any:
        return type(self), (self._values,)

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self._shown())
        return f"{type(self).__name__}({values})"

    def _shown(self) -> Iterator[Any]:
        return iter(self._values.items())

    def to_dict(self) -> Dict[str, Any]:
        """The values as plain data. Do not change the lists and dictionaries in it."""
        return dict(self._values)


class Object(Record):
    """An object within another one, whose attributes are those of the JSON."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


def _wrapped(value: Any) -> Any:
    if isinstance(value, dict):
        if value.keys() == {"source", "start", "end"}:
            return Span(value["source"], value["start"], value["end"])
        return Object(value)
    if isinstance(value, list):
        return [_wrapped(item) for item in value]
    return value


class _Located(Record):
    """A record with a range of bytes."""

    __slots__ = ()
    start: int
    end: int

    @property
    def span(self) -> Span:
        """Its bytes."""
        return Span(self._values.get("source", 0), self._values["start"], self._values["end"])


class Problem(_Located):
    """A problem of a file: a rule that its bytes break."""

    __slots__ = ()
    rule: str
    severity: Severity
    message: str
    path: str

    @property
    def help(self) -> Optional[str]:
        """How to fix or interpret it."""
        return self._values.get("help")


class Finding(_Located):
    """A problem that the driver meets."""

    __slots__ = ()
    rule: str
    effect: Effect
    decisive: bool
    message: str
    path: str


class ApiVerdict(Record):
    """The driver's verdict in one of its APIs."""

    __slots__ = ()
    verdict: Outcome

    @property
    def findings(self) -> List[Finding]:
        """The problems that the driver meets, in its order."""
        return [Finding(values) for values in self._values["findings"]]


class NeededDriver(Record):
    """A release of the driver."""

    __slots__ = ()
    release: str
    version: str
    key: str


class Check(Record):
    """The driver's verdict on a file and its problems, as `zeview check --json` prints them."""

    __slots__ = ()
    file: str
    format: Optional[str]
    verdict: Optional[Outcome]
    well_formed: Optional[bool]
    driver: Optional[str]
    device: Optional[str]
    coverage: Object
    rebuild: Optional[Object]

    @property
    def documents(self) -> List[Object]:
        """For a container: the verdict on each of its images."""
        return [Object(document) for document in self._values.get("documents", ())]

    @property
    def choice(self) -> Optional[Object]:
        """For a container and a device: which of its images run on it, and the verdict on these."""
        values = self._values.get("choice")
        return None if values is None else Object(values)

    @property
    def imports(self) -> List[Object]:
        """The symbols that other modules must define."""
        return [Object(symbol) for symbol in self._values.get("imports", ())]

    @property
    def findings(self) -> List[Finding]:
        """The problems that the driver meets, in its order."""
        return [Finding(values) for values in self._values["findings"]]

    @property
    def opencl(self) -> Optional[ApiVerdict]:
        """OpenCL's verdict; `verdict` and `findings` are Level Zero's."""
        values = self._values["opencl"]
        return None if values is None else ApiVerdict(values)

    @property
    def needs_driver(self) -> Optional[NeededDriver]:
        """The release of the driver that the file needs."""
        values = self._values["needs_driver"]
        return None if values is None else NeededDriver(values)

    @property
    def problems(self) -> List[Problem]:
        """The problems of the file, by position."""
        return [Problem(values) for values in self._values["diagnostics"]]

    @property
    def unread(self) -> List[Problem]:
        """The problems about bytes that were not read: encrypted or damaged files of a package, bytes
        between its files, parts beyond a limit. Device code in them is in no list."""
        return [Problem(values) for values in self._values["unread"]]

    @property
    def files(self) -> Optional[Object]:
        """For a package or folder: the number of its entries, by what was read of them."""
        values = self._values.get("files")
        return None if values is None else Object(values)

    def _repr_html_(self) -> str:
        """The verdict, and the problems, for notebooks."""
        verdict = self.verdict or "not passed to the driver"
        parts = [f"<p><strong>{_html.escaped(self.file)}</strong>: {_html.escaped(verdict)}"]
        parts += [
            f" · {_html.escaped(label)}: {_html.escaped(value)}"
            for label, value in (("device", self.device), ("driver", self.driver))
            if value is not None
        ]
        parts.append("</p>")
        rows: List[List[Any]] = [
            [finding.effect, finding.rule, finding.message, finding.path] for finding in self.findings
        ]
        rows += [
            [problem.severity, problem.rule, problem.message, problem.path]
            for problem in [*self.problems, *self.unread]
        ]
        titles = ["effect or severity", "rule", "message", "path"]
        if rows:
            parts.append(_html.table(titles, rows, len(rows), "findings and problems"))
        elif self.well_formed:
            parts.append("<p>well-formed</p>")
        return "".join(parts)

    @property
    def _outcome(self) -> Optional[Outcome]:
        """The verdict; of a container, the worst one of its images, or that for the device."""
        if self.verdict is not None:
            return self.verdict
        choice = self._values.get("choice")
        if choice is not None:
            found: Outcome = choice["verdict"]
            return found
        inner: List[Outcome] = [document["verdict"] for document in self._values.get("documents", ())]
        return max(inner, key=_OUTCOMES.index, default=None)

    def _decisive(self, outcome: Outcome) -> Optional[Finding]:
        """The finding that decides the verdict, or that on an image."""
        for values in (self._values, *self._values.get("documents", ())):
            if values["verdict"] == outcome:
                found = (finding for finding in values["findings"] if finding["decisive"])
                for finding in found:
                    return Finding(finding)
        return None

    def _unfit(self, outcome: Outcome) -> str:
        """Why no image runs on the device, or one does not."""
        choice = self._values["choice"]
        images = choice["images"]
        chosen = [image for image in images if image["chosen"] and image["verdict"] == outcome]
        reasons = [f"{image['path']}: {image['reason']}" for image in chosen or images]
        return f"{outcome.replace('-', ' ')} on {choice['device']}: {'; '.join(reasons[:1])}"

    def require(self) -> None:
        """Raises `zeview.Error` for a file for which `zeview check` has an exit status other than 0.

        Its `code` is the verdict if the driver does not load the file or an image that it needs ("refused",
        "link-failure", "may-crash", "does-not-run", "not-judged"); "ill-formed"; "unread" if the file was not
        read completely; or "no-files" for an empty package. It has the rule and the bytes of the first reason, if
        a rule is the reason.
        """
        reasons: List[Tuple[str, Union[str, Finding, Problem]]] = []
        outcome = self._outcome
        if outcome is not None and outcome not in _LOADS:
            if self.verdict is None and self._values.get("choice") is not None:
                reasons.append((outcome, self._unfit(outcome)))
            else:
                reasons.append((outcome, self._decisive(outcome) or outcome.replace("-", " ")))
        reasons += [("ill-formed", problem) for problem in self.problems if problem.severity == "error"]
        reasons += [("unread", problem) for problem in self.unread]
        # It is None for unknown formats, too, but these have no images.
        if self.well_formed is None and self._values.get("documents"):
            reasons.append(("unread", "there are more images than are judged"))
        if self.files is not None and not any(self.files.to_dict().values()):
            reasons.append(("no-files", "it has no files"))
        for code, reason in reasons:
            rule, span = None, None
            if isinstance(reason, str):
                text = reason
            else:
                rule, span = reason.rule, reason.span
                text = f"{reason.message} ({rule}, at {reason.path})"
            error = _zeview.Error(visible(f"{self.file}: {text}"))
            error.code, error.rule, error.span = code, rule, span
            raise error


class Fact(Record):
    """A notable fact about a file."""

    __slots__ = ()
    label: str
    text: str
    tone: Tone
    span: Optional[Span]
    headline: bool


class Summary(Record):
    """The summary of a file."""

    __slots__ = ()
    name: str
    size: int
    format: str
    title: str
    coverage: Object

    @property
    def facts(self) -> List[Fact]:
        """The facts, the most important first."""
        return [Fact(values) for values in self._values["facts"]]


class Instruction(Record):
    """An instruction with its data flow. Cycles are the scheduling model of the compiler."""

    __slots__ = ()
    offset: int
    mnemonic: str
    text: str
    comment: str
    reads: List[str]
    gathers: List[str]
    writes: List[str]
    defs: List[Object]
    live: Optional[Object]
    live_iga: Optional[Object]
    waits: List[Object]
    latency: int
    occupancy: int
    dead: Optional[bool]
    limit: Optional[str]
    inputs: Optional[List[Object]]


class FoundRow(Record):
    """A kernel with instructions that were found in its code, and the first of them; or one of them."""

    __slots__ = ()
    file: str
    name: str
    package_file: Optional[str]
    image: Optional[str]
    member: Optional[str]
    device: Optional[str]
    found: int
    match: int
    step: int
    offset: int
    text: str
    comment: Optional[str]
    mnemonic: str
    operation: str
    kind: str
    message: Optional[str]
    marks: List[str]
    demangled: Optional[str]
    short_name: str


class KernelStep(Record):
    """A kernel in step: its forms, and what ties their lines. Lines have indices of `points`: their
    own first, then the calls around it."""

    __slots__ = ()
    kernel: str
    basis: str
    columns: List[Object]
    points: List[Object]
    notes: List[str]


class FlowReport(Record):
    """The summary of the data flow of a kernel. `unknown` has the figures that are None because they are
    unknown, with the reasons."""

    __slots__ = ()
    instructions: int
    limits: List[str]
    unknown: List[Object]
    peak: Optional[Object]
    dead_writes: Optional[int]
    spills: Optional[int]
    fills: Optional[int]
    saves: Optional[int]
    restores: Optional[int]
    functions: Optional[List[Object]]
    slots: Optional[List[Object]]
    loops: Optional[List[Object]]
    waits: Optional[List[Object]]
    pressures: Optional[List[Object]]
    patterns: Optional[List[Object]]
    other_scratch: Optional[List[int]]
    hottest: Optional[int]
    assumed_iterations: int
    inputs: Optional[List[Object]]
    lines: List[Object]
    outermost_lines: List[Object]
    source_functions: List[Object]
    kernel: str
    grf_bytes: int
    spill_size: Optional[int]
    threads_per_eu: Optional[int]
    larger_file: Optional[Object]

    @property
    def path(self) -> Optional[str]:
        """The path of the document with the kernel, if it is not the file itself."""
        return self._values.get("path")

    @property
    def other_builds(self) -> Optional[List[Object]]:
        """The other builds of the kernel in the file, if they were requested."""
        found = self._values.get("other_builds")
        return None if found is None else [Object(build) for build in found]


class ProfileReport(Record):
    """A profile on the code of a file, as `zeview profile --json` prints it."""

    __slots__ = ()
    types: List[str]
    samples: List[int]
    located: int
    kernels: List[Object]
    unmatched: List[Object]
    metrics: List[Object]
    timings: List[Object]
    counts: List[Object]
    rows: int
    idle_rows: int
    skipped_rows: int
    problems: List[Object]
    more_problems: int

    @property
    def before(self) -> Optional[Object]:
        """The earlier profile."""
        values = self._values.get("before")
        return None if values is None else Object(values)

    @property
    def comparison(self) -> Optional[Object]:
        """The changes from the earlier profile."""
        values = self._values.get("comparison")
        return None if values is None else Object(values)


class Comparison(Record):
    """The differences between two files, as `zeview diff --json` prints them."""

    __slots__ = ()
    outcome: Literal["identical", "same_meaning", "different", "unknown"]
    equal: bool
    same_meaning: bool
    complete: bool
    a: Object
    b: Object
    remarks: List[str]
    not_compared: List[str]
    kernels: Object
    functions: Object
    images: Object
    modules: Object
    properties: Object
    attributes: Object
    notes: Object
    sections: Object
    symbols: Object
    relocations: Object
    bytes: Object

    @property
    def devices(self) -> Optional[List[Object]]:
        """For libraries and packages: the kernels by device."""
        found = self._values.get("devices")
        return None if found is None else [Object(device) for device in found]


Value = Union[int, float, bool, str, None]
