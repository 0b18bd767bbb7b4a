"""A large library, where there is one: $ZEVIEW_LARGE names it."""

import mmap
import os
import time

import pytest

import zeview

LARGE = os.environ.get("ZEVIEW_LARGE", "")
pytestmark = pytest.mark.skipif(not os.path.exists(LARGE), reason="$ZEVIEW_LARGE names no file")


def resident(path):
    """The bytes of a mapped file that were touched."""
    with open("/proc/self/smaps") as file:
        is_it, total = False, 0
        for line in file:
            if "-" in line.split(" ", 1)[0] and not line.split(" ", 1)[0].endswith(":"):
                is_it = line.rstrip().endswith(str(path))
            elif is_it and line.startswith("Rss:"):
                total += int(line.split()[1]) << 10
        return total


def test_a_mapped_library_is_read_in_pieces():
    with open(LARGE, "rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        mapped.madvise(mmap.MADV_RANDOM)
        begin = time.perf_counter()
        with zeview.open(mapped) as document:
            images = document.images()
            duration = time.perf_counter() - begin
            touched = resident(os.path.realpath(LARGE))
            print(f"{len(images)} images in {duration:.2f} s; {touched >> 20} of {len(mapped) >> 20} MB read")
            assert len(images) > 0
            assert touched < len(mapped) // 10
        mapped.close()


def test_files_are_read_in_pieces():
    def read():
        with open("/proc/self/io") as file:
            return int(dict(line.split(": ") for line in file)["rchar"])

    before = read()
    with zeview.open(LARGE) as document:
        assert document.images()[0].path
        assert document.tree().children[0].children
    assert read() - before < os.path.getsize(LARGE) // 10
