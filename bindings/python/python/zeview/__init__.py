"""zeview shows the contents of Intel GPU binaries: every value with its bytes.

    >>> import zeview
    >>> document = zeview.open("kernel.zebin")
    >>> for kernel in document.kernels(sort="-spill_size"):
    ...     print(kernel.name, kernel.simd_size, kernel.spill_size)

Paths, formats, filters, columns and texts are those of the command `zeview`, which the package
installs as well.
"""

from ._document import Children, Document, Node, open
from ._notebook import View
from ._records import (
    Check,
    Comparison,
    Fact,
    Finding,
    FlowReport,
    FoundRow,
    Instruction,
    KernelStep,
    Problem,
    ProfileReport,
    Record,
    Span,
    Summary,
)
from ._rows import DeviceRow, Image, Kernel, Module, Relocation, Row, SourceLine, Symbol
from ._tables import Table
from ._zeview import Error, __version__

__all__ = [
    "Check",
    "Children",
    "Comparison",
    "DeviceRow",
    "Document",
    "Error",
    "Fact",
    "Finding",
    "FlowReport",
    "FoundRow",
    "Image",
    "Instruction",
    "KernelStep",
    "Kernel",
    "Module",
    "Node",
    "Problem",
    "ProfileReport",
    "Record",
    "Relocation",
    "Row",
    "SourceLine",
    "Span",
    "Summary",
    "Symbol",
    "Table",
    "View",
    "__version__",
    "open",
]
