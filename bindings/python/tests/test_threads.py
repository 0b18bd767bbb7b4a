"""Threads, interruption and memory."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import SAMPLES

import zeview


LARGE = SAMPLES / "kernels600.dg2.zebin"


def test_other_threads_go_on():
    """While one thread works in the library, another runs Python."""
    ticks = 0
    done = threading.Event()

    def count():
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    names = [id for id, _, _, counted in zeview._zeview.columns("kernels") if counted]
    during = 0
    for _ in range(10):
        native = zeview.open(LARGE)._native
        native.summary()
        before = ticks
        # One call of the native module, of 40 ms or more.
        native.list("kernels", "", "", None, names)
        during += ticks - before
    done.set()
    other.join()
    # With the lock held, there would be at most one for each call.
    assert during > 30


def test_one_document_in_many_threads():
    document = zeview.open(LARGE)
    expected = document.kernels().to_dicts()
    names = [row["name"] for row in expected]
    with ThreadPoolExecutor(8) as pool:
        tables = [pool.submit(lambda: document.kernels().to_dicts()) for _ in range(8)]
        codes = list(pool.map(document.disassemble, names[:100]))
    assert all(table.result() == expected for table in tables)
    assert codes == [document.disassemble(name) for name in names[:100]]


def test_many_documents_in_many_threads(sample):
    expected = zeview.open(sample).check().to_dict()
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda _: zeview.open(sample).check().to_dict(), range(16))
    assert all(check == expected for check in found)


def test_closing_while_others_work():
    """A closed document ends the calls of other threads, with a result or an exception."""
    for delay in (0, 0.001, 0.01, 0.1):
        document = zeview.open(LARGE)
        outcomes = []

        def call(document=document, outcomes=outcomes):
            try:
                outcomes.append(len(document.kernels(columns=["instructions"])))
            except (ValueError, zeview.Error) as error:
                outcomes.append(type(error).__name__)

        threads = [threading.Thread(target=call) for _ in range(4)]
        for thread in threads:
            thread.start()
        time.sleep(delay)
        document.close()
        for thread in threads:
            thread.join(30)
            assert not thread.is_alive()
        assert set(outcomes) <= {600, len(zeview.open(LARGE).kernels()), "ValueError", "Error"}


SLOW = """
import signal, sys, zeview
# A program that was started in the background ignores the signal otherwise.
signal.signal(signal.SIGINT, signal.default_int_handler)
document = zeview.open(sys.argv[1])
document.summary
names = [id for id, _, _, counted in zeview._zeview.columns("kernels") if counted]
print("ready", flush=True)
try:
    while True:
        document.kernels(columns=names)
        document = zeview.open(sys.argv[1])
except KeyboardInterrupt:
    print("interrupted", flush=True)
# The document can be used again.
print(len(document.kernels()), flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_interrupting():
    for delay in (0.05, 0.2, 0.4):
        process = subprocess.Popen(
            [sys.executable, "-c", SLOW, str(LARGE)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout.readline() == "ready\n"
        time.sleep(delay)
        begin = time.perf_counter()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        assert time.perf_counter() - begin < 1
        assert int(process.stdout.readline()) >= 600
        assert process.wait(30) == 0


AFTER_AN_INTERRUPT = """
import signal, sys, zeview
signal.signal(signal.SIGALRM, signal.default_int_handler)
names = [id for id, _, _, counted in zeview._zeview.columns("kernels") if counted]
document = zeview.open(sys.argv[1])
for attempt in range(50):
    nodes = [node for node in document.find("a.zebin/data/*/*") if node.span and node.span.source > 0][:20]
    contents = [node.bytes() for node in nodes]
    spans = [node.span for node in nodes]
    assert contents and any(contents)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    try:
        document.kernels(columns=names)
    except KeyboardInterrupt:
        pass
    signal.setitimer(signal.ITIMER_REAL, 0)
    codes = set()
    # Other data get their numbers first.
    document.find("b.zebin/data/*")
    for span, content in zip(spans, contents):
        try:
            assert document.bytes(span) == content
        except zeview.Error as error:
            codes.add(error.code)
    assert [node.bytes() for node in nodes] == contents
    assert [document.bytes(node.span) for node in nodes] == contents
    if codes:
        print(codes)
        break
    document = zeview.open(sys.argv[1])
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_bytes_after_an_interrupt(python, tmp_path):
    """Spans of unpacked data never mean other bytes afterwards; nodes are read again."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        package.write(LARGE, "a.zebin")
        package.write(SAMPLES / "spill.dg2.zebin", "b.zebin")
    assert python(AFTER_AN_INTERRUPT, path) == "{'no-source'}\n"


def test_unknown_sources():
    document = zeview.open(SAMPLES / "vecadd.bmg.zebin")
    for call in (lambda: document.bytes((9, 0, 4)), lambda: document.nodes_at(0, source=9)):
        with pytest.raises(zeview.Error, match="no source 9") as raised:
            call()
        assert raised.value.code == "no-source"


FORKED = """
import os, sys, zeview
document, closed = zeview.open(sys.argv[1]), zeview.open(sys.argv[1])
expected = document.check().to_dict()
closed.kernels()
child = os.fork()
if child == 0:
    try:
        assert document.check().to_dict() == expected
        closed.close()
        dropped = document
        del document, dropped
        os._exit(0)
    finally:
        os._exit(1)
_, status = os.waitpid(child, 0)
assert document.check().to_dict() == expected
closed.close()
document.close()
print(os.WEXITSTATUS(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only POSIX forks")
def test_a_forked_process(python):
    """Each process has a thread of its own for a document."""
    assert python(FORKED, SAMPLES / "spill.dg2.zebin", timeout=30) == "0\n"


def test_exit_while_a_thread_works(python):
    """The interpreter ends while threads of documents read a buffer through it."""
    script = """
import sys, threading, zeview
content = memoryview(open(sys.argv[1], "rb").read())
def work():
    while True:
        zeview.open(content).check()
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
import time
time.sleep(0.3)
print("end")
"""
    assert python(script, SAMPLES / "spill.dg2.zebin") == "end\n"


def memory():
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="measured on Linux")
@pytest.mark.parametrize("closes", [False, True])
def test_memory_returns(closes):
    """500 documents that were opened, used and dropped leave no memory and no thread behind."""
    content = (SAMPLES / "vecadd.bmg.zebin").read_bytes()

    def run(count):
        for _ in range(count):
            document = zeview.open(content)
            document.check()
            document.tree().children[0].children[:]
            if closes:
                document.close()
        del document
        gc.collect()
        # Threads end by themselves after their documents are dropped.
        for _ in range(100):
            if len(os.listdir("/proc/self/task")) <= threads:
                break
            time.sleep(0.05)

    # Those of earlier tests may end meanwhile.
    threads = len(os.listdir("/proc/self/task"))
    run(100)
    before = memory()
    run(500)
    assert len(os.listdir("/proc/self/task")) <= threads
    assert memory() - before < 8 << 20


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="measured on Linux")
def test_500_documents_at_once():
    content = (SAMPLES / "vecadd.bmg.zebin").read_bytes()
    threads = len(os.listdir("/proc/self/task"))
    documents = [zeview.open(content) for _ in range(500)]
    assert {len(document.kernels()) for document in documents} == {1}
    full = memory()
    del documents
    gc.collect()
    for _ in range(100):
        if len(os.listdir("/proc/self/task")) <= threads:
            break
        time.sleep(0.05)
    assert len(os.listdir("/proc/self/task")) <= threads
    documents = [zeview.open(content) for _ in range(500)]
    assert {len(document.kernels()) for document in documents} == {1}
    # The memory of the first 500 is used again.
    assert memory() - full < 32 << 20
