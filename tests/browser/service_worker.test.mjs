// What the service worker answers from its cache, without a browser: only the files of the release.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { test } from "./harness.mjs";
import vm from "node:vm";

const PAGE = "https://example.org/docs/zeview/";
const FILES = ["", "0123/app.js", "samples/vecadd.bmg.zebin"];

/** Runs the script. Returns its listeners, and the names of caches and files that it has asked for. */
async function start() {
  const text = await readFile(path.join(import.meta.dirname, "../../www/service_worker.js"), "utf8");
  const script = text.replace('{ version: "", files: [] }', JSON.stringify({ version: "1", files: FILES }));
  assert.notEqual(script, text);
  const listeners = {};
  const log = { matched: [], added: [], deleted: [], waits: [] };
  const cache = {
    addAll: async (requests) => log.added.push(...requests.map(({ url }) => url)),
    match: async (url) => {
      log.matched.push(url);
      return "cached";
    },
    put: () => assert.fail("an answer is kept"),
  };
  const self = {
    location: new URL(`${PAGE}service_worker.js`),
    addEventListener: (type, listen) => { listeners[type] = listen; },
    clients: { claim: async () => {} },
    skipWaiting: () => log.waits.push("skipped"),
  };
  const caches = {
    open: async (name) => name === "zeview-1" ? cache : assert.fail(name),
    keys: async () => ["zeview-0", "zeview-1", "of another page", "zeview"],
    delete: async (name) => log.deleted.push(name),
  };
  class Request {
    constructor(url) {
      this.url = url;
    }
  }
  vm.runInNewContext(script, { self, caches, URL, Request, fetch: () => assert.fail("a request") });
  return { listeners, log };
}

/** Returns whether a request is answered. */
async function isAnswered(listeners, url, { method = "GET", mode = "no-cors" } = {}) {
  let answer;
  listeners.fetch({ request: { method, mode, url }, respondWith: (promise) => { answer = promise; } });
  return answer !== undefined && await answer === "cached";
}

test("only the files of the release are answered", async () => {
  const { listeners, log } = await start();
  for (const name of FILES) assert.ok(await isAnswered(listeners, PAGE + name), name);
  for (const name of ["", "index.html", "?url=x.zebin", "?url=https://other.example/x.zebin"]) {
    assert.ok(await isAnswered(listeners, PAGE + name, { mode: "navigate" }), name);
  }
  for (const url of [
    // Files that the page opens, also of its own host.
    `${PAGE}x.zebin`,
    `${PAGE}samples/other.zebin`,
    `${PAGE}samples/../x.zebin`,
    `${PAGE}0123/app.js/x`,
    `${PAGE}0123/APP.JS`,
    `${PAGE}0123%2fapp.js`,
    // Other pages and sites.
    "https://example.org/",
    "https://example.org/0123/app.js",
    "https://example.org/docs/zeview-2/",
    "https://example.org/docs/zeview",
    "https://other.example/docs/zeview/0123/app.js",
    "https://example.org.other.example/docs/zeview/",
    "http://example.org/docs/zeview/",
    "https://user@other.example/?https://example.org/docs/zeview/",
  ]) {
    assert.ok(!await isAnswered(listeners, url), url);
  }
  // Embedded pages, documents besides the page, and other methods.
  for (const name of ["?embed", "?embed=1&url=x", "index.html?embed", "samples/vecadd.bmg.zebin", "0123/app.js"]) {
    assert.ok(!await isAnswered(listeners, PAGE + name, { mode: "navigate" }), name);
  }
  for (const method of ["POST", "PUT", "HEAD", "DELETE"]) assert.ok(!await isAnswered(listeners, PAGE, { method }), method);
  // The query is no part of what is asked for.
  assert.ok(log.matched.every((url) => FILES.includes(url.slice(PAGE.length))));
});

test("only its own caches are changed, and only with the files of the release", async () => {
  const { listeners, log } = await start();
  const run = async (type, event) => {
    let done;
    listeners[type]({ waitUntil: (promise) => { done = promise; }, ...event });
    await done;
  };
  await run("install", {});
  assert.deepEqual(log.added, FILES.map((name) => PAGE + name));
  await run("activate", {});
  assert.deepEqual(log.deleted, ["zeview-0"]);
  for (const data of ["x", { take: 1 }, ["take"], null, "take it"]) listeners.message({ data });
  assert.deepEqual(log.waits, []);
  listeners.message({ data: "take" });
  assert.deepEqual(log.waits, ["skipped"]);
});
