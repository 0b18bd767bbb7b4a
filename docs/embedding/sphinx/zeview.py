"""The directive ``zeview``: a file in zeview.

.. zeview:: vecadd.zebin
   :panel: kernels
   :select: k=vecadd
   :height: 420
   :theme: auto
   :loading: lazy

   One kernel for Battlemage.

The file is relative to the document, and is copied to the output. ``zeview_page`` in conf.py is the
address of a zeview release: complete, or relative to the root of the documentation.
"""

from html import escape
from pathlib import Path
from posixpath import relpath

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from sphinx.util.fileutil import copy_asset_file

OPTIONS = ("panel", "select", "height", "theme", "loading", "page", "sandbox")


class zeview(nodes.General, nodes.Element):
    """A file in zeview."""


class ZeviewDirective(Directive):
    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {name: directives.unchanged for name in OPTIONS}
    has_content = True

    def run(self):
        env = self.state.document.settings.env
        name, path = env.relfn2path(self.arguments[0])
        env.note_dependency(name)
        node = zeview("", file=name, path=path, options=dict(self.options))
        node += nodes.paragraph(text=" ".join([name + ":", *self.content]))
        if not Path(path).is_file():
            return [self.state.document.reporter.warning(f"no file {name}", line=self.lineno)]
        return [node]


def address(app, docname, target):
    """An address in the output, as seen from a document."""
    if "://" in target:
        return target
    here = app.builder.get_target_uri(docname)
    folder = here.rpartition("/")[0] or "."
    return relpath(target, folder)


def visit_html(self, node):
    app = self.builder.app
    docname = self.builder.current_docname
    copy_asset_file(node["path"], str(Path(app.outdir) / "_static"))
    src = address(app, docname, "_static/" + Path(node["path"]).name)
    page = address(app, docname, app.config.zeview_page.rstrip("/"))
    attributes = {"src": src, "page": page + "/", **node["options"]}
    written = " ".join(f'{key}="{escape(value)}"' for key, value in attributes.items())
    # The name leads to the file.
    name, _, words = node.astext().partition(":")
    link = f'<a href="{escape(src)}">{escape(name)}</a>:'
    self.body.append(f'<script src="{escape(page)}/zeview-embed.js"></script>')
    self.body.append(f"<zeview-embed {written}>{link}{escape(words)}</zeview-embed>")
    raise nodes.SkipNode


def visit_other(self, node):
    """A book on paper has the name and the words."""


def depart(self, node):
    pass


def setup(app):
    app.add_config_value("zeview_page", "zeview", "html")
    app.add_node(zeview, html=(visit_html, depart), latex=(visit_other, depart), text=(visit_other, depart))
    app.add_directive("zeview", ZeviewDirective)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
