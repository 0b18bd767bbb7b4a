"""The binaries of Triton's kernels. Triton itself is not needed.

Triton for Intel GPUs compiles kernels to SPIR-V, and to a zebin with `generate_native_code=True`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Union

from ._document import Document
from ._document import open as _open
from ._text import visible

#: Names of the stages of the compiler that are binaries, the most specific first.
STAGES = ("zebin", "spv")


def documents(compiled: Any) -> Dict[str, Document]:
    """Opens the binaries of a compiled kernel, by stage: "zebin", "spv".

    `compiled` is what `kernel[grid](…)` or `triton.compile` returns, or its `asm`. Triton's bytes are not
    copied. The result is empty if the kernel was compiled for another kind of device.
    """
    stages = getattr(compiled, "asm", compiled)
    name = getattr(compiled, "name", None) or getattr(compiled, "__name__", None) or "kernel"
    # Triton's dictionary creates some stages when they are asked for.
    available = set(stages.keys())
    found = {}
    for stage in STAGES:
        if stage in available and isinstance(stages[stage], (bytes, bytearray, memoryview)):
            found[stage] = _open(stages[stage], name=f"{name}.{stage}")
    return found


class CachedKernel(NamedTuple):
    """A compiled kernel in Triton's cache."""

    #: The folder, named by the hash of source, options and target.
    folder: Path
    name: str
    #: The files of the compiler's stages, by stage.
    files: Dict[str, Path]

    def open(self) -> Document:
        """Opens the most specific binary."""
        for stage in STAGES:
            if stage in self.files:
                return _open(self.files[stage])
        raise FileNotFoundError(f"{visible(self.folder / self.name)} has no binary")


def cache_folder() -> Path:
    """Triton's cache: `$TRITON_CACHE_DIR`, or `.triton/cache` in `$TRITON_HOME` or the home folder."""
    named = os.environ.get("TRITON_CACHE_DIR", "").strip()
    if named:
        return Path(named)
    home = os.environ.get("TRITON_HOME", "").strip()
    return Path(home or Path.home()) / ".triton" / "cache"


def cached(folder: Optional[Union[str, "os.PathLike[str]"]] = None) -> Iterator[CachedKernel]:
    """The compiled kernels in a cache folder that have a binary for Intel GPUs, sorted by folder and name.

    Raises `OSError` if there is no such folder.
    """
    root = cache_folder() if folder is None else Path(folder)
    for entry in sorted(root.iterdir()):
        if not entry.is_dir():
            continue
        kernels: Dict[str, Dict[str, Path]] = {}
        try:
            files: List[Path] = sorted(entry.iterdir())
        except OSError:
            # Triton cleans up and writes while others read.
            continue
        for file in files:
            name, dot, stage = file.name.rpartition(".")
            if dot and file.is_file():
                kernels.setdefault(name, {})[stage] = file
        for name, stages in sorted(kernels.items()):
            if any(stage in stages for stage in STAGES):
                yield CachedKernel(entry, name, stages)
