"""Names that do harm if they are not escaped, in everything that the package shows: the files of
`tests/fixtures/names` (`tests/support/hostile_names.rs`) have them wherever a name can occur."""

import json
import unicodedata

import pytest
from conftest import ROOT
from test_notebook import Elements

import zeview
from zeview import _notebook
from zeview._text import visible

FOLDER = ROOT / "tests/fixtures/names"
FILES = sorted(path.name for path in FOLDER.iterdir() if path.name != "README.md")

#: Names of files: an input may have any.
NAMES = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "\" onload=\"alert(1)",
    "'); alert(1); ('",
    "]]>",
    "{id}{0}%s",
    "$(x)`y`${z}",
    "[x](command:y)",
    "\x1b]0;FORGED\x07\x9b31m",
    "a\nFORGED\r\u2028b",
    "\u202enibez.\u2066x",
    "a\u200b\ufeff\U000e0041",
]

ELEMENTS = {"div", "p", "strong", "span", "table", "thead", "tbody", "tr", "th", "td", "script", "style", "code"}


def check_text(text):
    """No character is obeyed by a terminal, and the text has one line."""
    hidden = [c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")]
    assert not hidden, (hidden, text[:200])


def check_html(html):
    """All elements and attributes are those of the package; names are text."""
    elements = Elements(html)
    for tag, attributes in elements.found:
        assert tag in ELEMENTS, tag
        assert set(attributes) <= {"class", "data-zeview", "style", "type"}, attributes
        assert attributes.get("style", "text-align:left") == "text-align:left"
    # The end of a script in a name would end it.
    scripts = [tag for tag, _ in elements.found if tag == "script"]
    assert len(scripts) == html.lower().count("</script") <= 1
    assert "<!--" not in html.split("<script", 1)[0]
    check_text(elements.text.replace("\n", " "))


def nodes(node, count):
    """The first nodes below a node."""
    found = [node]
    for node in found:
        if len(found) > count:
            return found
        found += node.children
    return found


@pytest.fixture(params=FILES)
def content(request):
    return (FOLDER / request.param).read_bytes()


def test_the_files_have_such_names(content):
    # In the form of each format; all of them have this part of one.
    assert b"onerror=alert(1)" in content or b"\x1b[31m" in content


def test_text_in_terminals(content):
    for name in (NAMES[8], NAMES[9], NAMES[10], NAMES[11]):
        document = zeview.open(content, name=name)
        check_text(repr(document))
        check_text(repr(document.view()))
    for node in nodes(document.tree(), 2000):
        check_text(repr(node))
        check_text(repr(node.children))
    for read in (document.kernels, document.images, document.symbols):
        try:
            table = read()
        except zeview.Error as error:
            check_text(str(error))
            continue
        check_text(repr(table))
        for row in list(table)[:200]:
            check_text(repr(row))
    for problem in document.problems:
        check_text(repr(problem))
    try:
        document.check().require()
    except zeview.Error as error:
        check_text(str(error))


def test_html_in_notebooks(content, monkeypatch):
    for name in NAMES:
        document = zeview.open(content, name=name)
        for view in (document.view(), document.view(limit=0)):
            check_html(view._repr_html_())
            options = view._options()
            element = _notebook._element(options, view._excerpt(_notebook.LIMIT))
            check_html(element + _notebook._HIDDEN_ERROR.format(**options).replace(":has(", ""))


def test_html_of_tables_and_verdicts(content):
    for name in NAMES:
        document = zeview.open(content, name=name)
        check_html(document.check()._repr_html_())
        try:
            table = document.kernels()
        except zeview.Error:
            continue
        check_html(table._repr_html_())


@pytest.mark.parametrize("name", NAMES)
def test_json_in_scripts(name):
    """The values of the script are text there, and unchanged."""
    text = _notebook._script_json({"name": name})
    assert "<" not in text and json.loads(text) == {"name": name}


def test_visible():
    assert visible("größe [x] 'y' \\n") == "größe [x] 'y' \\n"
    assert visible("a\n\x1b\u202e\xad") == "a\\n\\x1b\\u202e\\xad"
    for name in NAMES:
        check_text(visible(name))
