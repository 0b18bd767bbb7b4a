// Without VS Code: paths of source files, and the document of the webview.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { failure, html } from "../src/html.ts";
import { best, lineFilter } from "../src/paths.ts";

const same = (text) => text;

test("the file with the most common trailing segments is chosen", () => {
  const files = ["/projects/a/src/kernel.cl", "/projects/b/src/kernel.cl", "/projects/kernel.cl"];
  assert.deepEqual(best("/build/b/src/kernel.cl", files, same), ["/projects/b/src/kernel.cl"]);
  assert.deepEqual(best("src/kernel.cl", files, same), files.slice(0, 2));
  assert.deepEqual(best("C:\\build\\a\\src\\kernel.cl", files, same), [files[0]]);
  assert.deepEqual(best("./kernel.cl", files, same), files);
  assert.deepEqual(best("other.cl", files, same), []);
  assert.deepEqual(best("kernel.cl", [], same), []);
});

test("the filter of a line quotes the name", () => {
  assert.equal(lineFilter("/a/b c.cl", 9), "source_file=\"b c.cl\" line=9");
  assert.equal(lineFilter("/a/b\".cl", 9), undefined);
});

test("the document allows only the extension's own files", async () => {
  const page = await readFile(path.join(import.meta.dirname, "../page/index.html"), "utf8");
  const resolve = (name) => `https://files/${name}`;
  for (const hasDecoder of [true, false]) {
    const document = html(page, { resolve, source: "https://files", nonce: "abc" }, hasDecoder);
    const [, policy] = /Content-Security-Policy" content="([^"]*)"/.exec(document);
    assert.match(policy, /^default-src 'none'; /);
    assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|https:(?!\/\/files)|http:|\*/);
    const addresses = [...document.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
    assert.ok(addresses.length >= 9);
    for (const address of addresses) assert.match(address, /^https:\/\/files\/(page|media)\//);
    const scripts = [...document.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
    assert.equal(scripts.length, 2);
    for (const tag of scripts) assert.match(tag, /nonce="abc"/);
    assert.equal(document.includes("data-decoder"), hasDecoder);
    // The page's own styles come first.
    assert.ok(document.indexOf("tokens.css") < document.indexOf("editor.css"));
  }
});

test("names in a message are text", () => {
  assert.match(failure("<b>&amp;.zebin", "gone"), /<h1>&lt;b&gt;&amp;amp;\.zebin<\/h1>/);
});
