// Asks the search of the built documentation the questions of newcomers, with the same index, library and options as the page:
// each must find its page first. `node docs/search.mjs FOLDER`

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import vm from "node:vm";

const QUESTIONS = {
  zebin: "zebin.html",
  wheel: "tutorials/wheel.html",
  spill: "guides/spills.html",
  "unknown device": "help.html",
  Triton: "tutorials/triton.html",
  glossary: "glossary.html",
  FAQ: "help.html",
  troubleshooting: "help.html",
  JIT: "tutorials/recompiled.html",
  ocloc: "coming-from.html",
  intel_gpu: "reference/devices.html",
  intel_gpu_bmg_g21: "reference/devices.html",
  hazard: "glossary.html",
  unitrace: "guides/unitrace.html",
  Nsight: "coming-from.html",
  stall: "guides/waits.html",
  "live registers": "guides/spills.html",
  loop: "guides/loops.html",
  verdict: "reference/command-line.html",
  CI: "guides/budget.html",
  "GitHub action": "guides/budget.html",
  embedding: "reference/embedding.html",
  notebook: "reference/python.html",
  Python: "reference/python.html",
  install: "install.html",
  "VS Code": "install.html",
  agent: "guides/scripts.html",
  "exit status": "reference/exit-status.html",
};

const site = process.argv[2];
const names = readdirSync(site);
const text = (start) => {
  const name = names.find((name) => name.startsWith(start) && name.endsWith(".js"));
  assert.ok(name, `${site} has no ${start}*.js`);
  return readFileSync(path.join(site, name), "utf8");
};

const window = { search: {} };
const page = vm.createContext({ window, Object, JSON });
vm.runInContext(text("searchindex-"), page);
const library = vm.createContext({});
vm.runInContext(text("elasticlunr-"), library);
const { index, doc_urls: addresses, search_options: options } = window.search;
// Of the same realm as the library, which checks types.
library.json = JSON.stringify({ index, options });
library.find = vm.runInContext(
  "(() => { const { index, options } = JSON.parse(json); const loaded = elasticlunr.Index.load(index); return (question) => loaded.search(question, options).map(({ ref, score }) => [ref, score]); })()",
  library,
);

const wrong = [];
for (const [question, expected] of Object.entries(QUESTIONS)) {
  const found = library.find(question).map(([ref, score]) => `${addresses[ref]} (${score.toFixed(2)})`);
  if (!found[0]?.startsWith(expected)) wrong.push(`"${question}" must find ${expected} first, but finds ${found.slice(0, 4).join(", ") || "nothing"}`);
}
if (wrong.length > 0) {
  console.error(wrong.join("\n"));
  process.exit(1);
}
console.log(`the search finds the pages of ${Object.keys(QUESTIONS).length} questions first`);
