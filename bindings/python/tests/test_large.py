"""A large library, where there is one: $ZEVIEW_LARGE names it."""

import mmap
import os

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
    """Opening reads the index of its images, and the table of images the first bytes of each."""
    with open(LARGE, "rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        # Without read-ahead. Still, each read also maps cached pages around it, up to 64 KB.
        mapped.madvise(mmap.MADV_RANDOM)
        with zeview.open(mapped) as document:
            assert document.size == len(mapped)
            assert document.facts
            assert resident(os.path.realpath(LARGE)) < len(mapped) // 10
            assert len(document.images()) > 0
            assert resident(os.path.realpath(LARGE)) < len(mapped) // 2
        mapped.close()


def test_a_file_is_read_in_pieces():
    def read():
        with open("/proc/self/io") as file:
            return int(dict(line.split(": ") for line in file)["rchar"])

    before, size = read(), os.path.getsize(LARGE)
    with zeview.open(LARGE) as document:
        assert document.facts
        assert 0 < read() - before < size // 10
        assert len(document.images()) > 0
        assert read() - before < size // 3
