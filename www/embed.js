// How to use zeview's decoder from JavaScript: `ZeviewDocument` decodes bytes in memory,
// synchronously. Run it in a worker to keep the page responsive.
//
// Demonstrated by embed.html. `embed.html#test` tests it, starts the page's own decoder by every
// supported method, and writes the result to `data-result` of the root element.

import { WAYS, start } from "./decoder.js";
import init, { ZeviewDocument } from "./worker.js";

const ROWS = 100; // At most 512 per call.

// The class

/** Shows a document; returns a function that frees its memory. */
function show(bytes, name) {
  const opened = ZeviewDocument.open(bytes, { name });
  const summary = opened.summary();
  const facts = summary.facts.filter((fact) => fact.headline);
  const words = [summary.title, ...facts.map((fact) => `${fact.label}: ${fact.text}`)];
  element("summary").textContent = `${summary.name}, ${summary.size} bytes. ${words.join(" · ")}`;

  const problems = opened.diagnostics().slice(0, ROWS).map((problem) => {
    const { start, end } = problem.primary.span;
    return item(`${problem.severity}: ${problem.message} (bytes ${start} to ${end})`);
  });
  element("problems").replaceChildren(...problems);
  element("tree").replaceChildren(row(opened, opened.node(0)));
  return () => opened.free();
}

/** A node as a list item that loads its children when it is expanded. */
function row(opened, node) {
  const value = node.text || node.summary || "";
  const place = node.span ? `${node.span.start}–${node.span.end}` : "computed";
  const label = `${node.indexed ? `[${node.index}] ` : ""}${node.name} ${value} (${place})`;
  if (node.count === 0) return item(label);

  const details = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = label;
  const list = document.createElement("ul");
  details.append(summary, list);
  details.addEventListener("toggle", () => more(opened, node, list), { once: true });
  const wrapped = document.createElement("li");
  wrapped.append(details);
  return wrapped;
}

/** Adds the next page of children; a table may have millions. */
function more(opened, node, list) {
  const have = list.children.length;
  list.append(...opened.children(node.id, have, ROWS).map((child) => row(opened, child)));
  if (list.children.length >= node.count) return;
  const button = document.createElement("button");
  button.textContent = `more (of ${node.count})`;
  const last = document.createElement("li");
  last.append(button);
  button.addEventListener("click", () => {
    last.remove();
    more(opened, node, list);
  });
  list.append(last);
}

function item(text) {
  const made = document.createElement("li");
  // As text, not HTML: names are untrusted.
  made.textContent = text;
  return made;
}

function element(id) {
  return document.getElementById(id);
}

// The page's own decoder

/** Resolves when a decoder is ready; its messages are internal (src/worker/codec.rs). */
function runs(way) {
  return new Promise((resolve, reject) => {
    const tell = (message) => {
      port.close();
      resolve(message.data);
    };
    const port = start(tell, (text) => reject(new Error(text)), [way]);
  });
}

// The test

function expect(truth, what) {
  if (!truth) throw new Error(`expected ${what}`);
}

function testClass(bytes) {
  const opened = ZeviewDocument.open(bytes, { name: "test" });
  expect(opened.summary().size === bytes.length, "the size");
  expect(opened.node(0).name === "test", "the name");
  expect(opened.toText().includes("test"), "the text");
  expect(JSON.parse(opened.toJson()).name === "test", "the JSON");
  expect(opened.bytes(0, 1, 4).join() === bytes.slice(1, 4).join(), "the bytes");
  const fields = opened.children(opened.children(0, 0, 1)[0]?.id ?? 0, 0, 9);
  const number = fields.find((field) => field.value.type === "unsigned");
  expect(!number || typeof number.value.raw === "bigint", "a bigint");
  let thrown;
  try {
    opened.node(4_000_000);
  } catch (error) {
    thrown = error;
  }
  expect(thrown instanceof Error && thrown.message.includes("4000000"), "an error");
  opened.free();
}

async function test() {
  const bytes = new Uint8Array(64);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  testClass(bytes);
  testClass(new TextEncoder().encode("no binary at all"));
  // Sandboxed frames allow only the last two.
  for (const way of self.origin === "null" ? WAYS.slice(-2) : WAYS) {
    const said = await runs(way);
    expect(said instanceof Uint8Array && said.length > 0, way.name);
  }
}

// The page

await init();
element("summary").textContent = "Choose a file.";
let close = () => {};
element("file").addEventListener("change", async ({ target }) => {
  const [file] = target.files;
  if (!file) return;
  close();
  close = show(new Uint8Array(await file.arrayBuffer()), file.name);
});

if (location.hash === "#test") {
  const root = document.documentElement;
  try {
    await test();
    root.dataset.result = "passed";
  } catch (error) {
    root.dataset.result = `failed: ${error.message}`;
    console.error(error);
  }
  element("summary").textContent = root.dataset.result;
}
