"""Documents as outputs of notebooks. `tests/browser/notebook.mjs` shows them in a browser."""

import base64
import gzip
import json
import re
from html.parser import HTMLParser

import pytest
from conftest import SAMPLES

import zeview
from zeview import _notebook

CONTENT = (SAMPLES / "vecadd.bmg.zebin").read_bytes()

needs_page = pytest.mark.skipif(not _notebook._has_page(), reason="the wheel was built without the page")


class Elements(HTMLParser):
    """The elements of a text, with their attributes, and the text outside of scripts."""

    def __init__(self, html):
        super().__init__()
        self.found, self.text, self.script = [], "", ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def handle_data(self, data):
        if self.found[-1][0] == "script":
            self.script += data
        else:
            self.text += data


@pytest.fixture(autouse=True)
def fresh():
    _notebook._page_time.clear()


def shown(html):
    """The values that an output passes to its script."""
    call = re.search(r"\nshowHere\((.*)\);$", Elements(html).script)
    return json.loads(call.group(1))


def test_the_table_has_the_kernels(sample):
    document = zeview.open(sample)
    text = Elements(document._repr_html_()).text
    assert document.name in text
    kernels = document.kernels()
    for kernel in kernels[:40]:
        assert kernel.name[:20] in text
    if len(kernels) > 50:
        assert "more are not listed here" in text
    assert len(document.view(limit=0)._repr_html_()) < 110_000


@pytest.mark.parametrize("name", ["<img/>", "<!--<b", 'x"><p>', "x&lt;b"])
def test_names_are_escaped(name):
    """A kernel's and a file's name are text, in HTML and in the script."""
    assert len(name) == len("vecadd")
    content = CONTENT.replace(b"vecadd", name.encode())
    document = zeview.open(content, name="</script><script>alert('x')</script>")
    html = document._repr_html_()
    elements = Elements(html)
    assert name in elements.text
    allowed = {"div", "p", "strong", "span", "table", "thead", "tbody", "tr", "th", "td", "script", "code"}
    for tag, attributes in elements.found:
        assert tag in allowed
        assert set(attributes) <= {"class", "data-zeview", "style", "type"}
        assert attributes.get("style", "text-align:left") == "text-align:left"
    assert len([tag for tag, _ in elements.found if tag == "script"]) == html.count("</script") <= 1
    if _notebook._has_page():
        assert shown(html)["name"] == document.name


@needs_page
def test_the_output_has_the_file_and_the_page():
    document = zeview.open(CONTENT)
    values = shown(document._repr_html_())
    assert gzip.decompress(base64.b64decode(values["file"])) == CONTENT
    assert values["html"] == _notebook._page_text()
    assert values["attributes"]["panel"] == "kernels"
    # Other cells of the moment share it.
    assert "html" not in shown(document._repr_html_())
    _notebook._page_time[0] -= _notebook._SHARING
    assert "html" in shown(document._repr_html_())


@needs_page
def test_limits():
    large = zeview.open(CONTENT + bytes(_notebook.HTML_LIMIT))
    html = large._repr_html_()
    assert "<script" not in html and "Install anywidget" in html and "vecadd" in html
    small = zeview.open(CONTENT)
    assert "raises the limit" in small.view(limit=len(CONTENT) - 1)._repr_html_()
    assert "<script" in small.view(limit=len(CONTENT))._repr_html_()


def test_a_closed_document_is_text():
    document = zeview.open(CONTENT)
    document.close()
    assert document._repr_html_() is None
    assert "closed" in repr(document.view())
    with pytest.raises(NotImplementedError):
        document._ipython_display_()


def test_without_a_kernel_there_is_no_widget():
    with pytest.raises(NotImplementedError):
        zeview.open(CONTENT)._ipython_display_()


def test_arguments():
    document = zeview.open(CONTENT)
    with pytest.raises(ValueError, match="theme"):
        document.view(theme="blue")
    view = document.view(height="auto", panel="", select="k=vecadd", panes="none", theme="dark")
    assert view._options()["attributes"] == {
        "height": "auto",
        "select": "k=vecadd",
        "theme": "dark",
        "panes": "none",
    }


@pytest.fixture
def widget():
    pytest.importorskip("anywidget")
    if not _notebook._has_page():
        pytest.skip("the wheel was built without the page")
    document = zeview.open(CONTENT)
    view = document.view()
    made = _notebook._widget_class()(document, view._options(), "<p></p>")
    made.sent = []
    made.send = lambda content, buffers=(): made.sent.append((content, *buffers))
    return made


def test_a_widget_sends_the_page_and_pieces(widget):
    widget._answer({"id": "1", "page": True})
    widget._answer({"id": "2", "start": 10, "end": 500})
    widget._answer({"id": "3", "start": len(CONTENT) - 1, "end": len(CONTENT) + 5})
    (page, packed), (_, piece), (_, last) = widget.sent
    assert page == {"id": "1"} and gzip.decompress(packed).decode() == _notebook._page_text()
    assert gzip.decompress(piece) == CONTENT[10:500]
    assert gzip.decompress(last) == CONTENT[-1:]


def test_a_widget_answers_errors(widget):
    for request in ({}, {"start": "x", "end": 1}, {"start": -1, "end": 2}, {"start": 0, "end": 1 << 70}):
        widget._answer({"id": "1", **request})
    widget._document.close()
    widget._answer({"id": "1", "start": 0, "end": 1})
    for content, *buffers in widget.sent:
        assert content["id"] == "1" and content["error"] and not buffers
    assert "closed" in widget.sent[-1][0]["error"]


def test_a_widget_has_neither_page_nor_file(widget):
    state = json.dumps(widget.get_state(), default=str)
    assert len(state) < 40_000


def test_tables_are_tables():
    table = zeview.open(SAMPLES / "kernels600.dg2.zebin").kernels(columns=["instructions"])
    elements = Elements(table._repr_html_())
    tags = [tag for tag, _ in elements.found]
    assert tags.count("tr") == 51 and "50 of 600 kernels" in elements.text
    assert "simd_size" in elements.text and "instructions" in elements.text
    empty = zeview.open(CONTENT).kernels("name=nothing")
    assert "0 kernels" in Elements(empty._repr_html_()).text


def test_a_verdict_is_a_table():
    elements = Elements(zeview.open(SAMPLES / "damaged.zebin").check()._repr_html_())
    assert "refused" in elements.text and "error" in elements.text
    good = Elements(zeview.open(CONTENT).check()._repr_html_())
    assert "loads" in good.text and "well-formed" in good.text


@pytest.mark.parametrize("name", ["<img/>", "<!--<b", 'x"><p>', "x&lt;b"])
def test_names_in_tables_are_escaped(name):
    document = zeview.open(CONTENT.replace(b"vecadd", name.encode()), name=name)
    for value in (document.kernels(), document.check()):
        elements = Elements(value._repr_html_())
        assert {tag for tag, _ in elements.found} <= {"p", "strong", "table", "thead", "tbody", "tr", "th", "td"}
        assert all(not attributes for _, attributes in elements.found)
        assert name in elements.text
