// Text from files is text in VS Code: each function, and that no module goes around them.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { failure } from "../src/html.ts";
import { htmlText, unadorned, unlinked, value, visible } from "../src/markup.ts";
import { icons, links, NAMES, unseen } from "./hostile.mjs";

const SOURCES = path.join(import.meta.dirname, "../src");

test("the names would do harm", () => {
  assert.ok(NAMES.filter(links).length >= 4);
  assert.ok(NAMES.filter(icons).length >= 4);
  assert.ok(NAMES.filter(unseen).length >= 6);
});

test("no name is a link, an icon or an element", () => {
  for (const one of NAMES) {
    // Also where a name continues another one.
    for (const other of ["", ...NAMES]) {
      assert.equal(links(unlinked(`zeview: ${one}${other} is gone.`)), undefined, one + other);
      assert.equal(icons(unadorned(`${one}${other}`)), undefined, one + other);
      assert.equal(icons(unadorned(`$${one}`)), undefined);
    }
    for (const neutral of [visible, value, unlinked, unadorned, htmlText]) {
      assert.equal(unseen(neutral(one)), undefined, JSON.stringify(one));
    }
    assert.doesNotMatch(htmlText(one), /[<>"']|&(?!(amp|lt|gt|quot|#39);)/);
    const page = failure(one, one);
    assert.equal(page.match(/<[a-z]/g).length, 8, page);
  }
});

test("ordinary names are unchanged", () => {
  for (const name of ["kernel.cl", "/a b/c(1).cl", "_ZTSZ4mainE3k[0]", "größe.zebin", "main::$_0::operator()(int)", "a (b) [c]"]) {
    for (const neutral of [visible, value, unlinked, unadorned]) assert.equal(neutral(name), name);
  }
});

test("long values leave room for the message", () => {
  const long = value("😀".repeat(5000));
  assert.equal(Array.from(long).length, 300);
  assert.match(long, /^(😀)+…(😀)+$/u);
});

/** The modules that may hand text to a part of VS Code, which interpret it. */
const OWNERS = {
  "messages.ts": /vscode\.window\.show(?!TextDocument)|\bwithProgress\b|\bset(StatusBarMessage)\b|\bcreate(InputBox|QuickPick|StatusBarItem|OutputChannel|TreeView|Terminal|WebviewPanel)\b/,
  "problems.ts": /new vscode\.Diagnostic\b|DiagnosticRelatedInformation/,
  "": /MarkdownString|TreeItem|CodeLens|InlayHint|new vscode\.Hover|registerHover|decorationOptions|env\.openExternal|eval\(/,
};

test("only these modules hand text to VS Code", async () => {
  const names = await readdir(SOURCES);
  assert.ok(names.length > 8);
  for (const name of names) {
    const text = await readFile(path.join(SOURCES, name), "utf8");
    for (const [owner, calls] of Object.entries(OWNERS)) {
      if (name !== owner) assert.doesNotMatch(text, calls, `${name}: use ${owner || "another way"}`);
    }
    // A function that VS Code calls may not throw: its error would become a notification with links.
    for (const [line] of text.matchAll(/.*(registerCommand|openCustomDocument|resolveCustomEditor).*/g)) {
      assert.match(line, /\bcommand\)|messages\.plainly|registerCustomEditor/, `${name}: ${line}`);
    }
    for (const [line] of text.matchAll(/.*webview\.html = .*/g)) assert.match(line, /= (failure|html)\(/);
  }
});
