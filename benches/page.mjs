// Cost of the page in Chromium: `cargo xtask bench page` (after `cargo xtask dist`).
//
// `node benches/page.mjs NAME` prints one row: `kernels600-table`, `library`, `visit`.
//
// Prints Markdown tables. In each run, a fresh page gets a file as soon as the app has started
// (cold), then a copy of it (second); the panel is opened as soon as its tab appears. Nothing is
// prepared that a user would not do.
//
// * Page's work is the duration of all tasks of the page's main thread from the drop until the rows are
//   painted: the increase of `TaskDuration` of `Performance.getMetrics`. The decoder has its own thread.
// * Floor is the same for a blank page with the same style sheets, into which the resulting document
//   is inserted by `innerHTML`: parsing, style, layout and paint.
// * The longest task and the decoder's time come from a second run with a trace, which slows the page
//   down; it is kept in target/bench. The decoder's time is its entry in the performance timeline.
//   Native is the time of the same code in a native process (benches/open.rs): its first file next to
//   the cold one, its second next to the second.
// * Two open files are compared by clicking the name of one, then in the other direction, next to
//   `zeview diff` of the same files as a process.
// * A generated library of 330 MB with 2 300 kernels for two devices is opened, and the Kernels panel at
//   once: until its first rows, until all images are read, and from a click on Stop until reading has
//   stopped, next to the same requests natively (benches/library.rs).
// * Memory is the increase of the page's process over a page without a file.
//
// With ZEVIEW_CORPUS, uses its files of 600 kernels and of 10 000 modules, else the sample of 600
// kernels of the page.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { withCode, withKernels, withRelocations } from "../tests/browser/generated.mjs";
import { closeBrowser, closePage, dropFromDisk, load, openPage } from "../tests/browser/harness.mjs";
import { ownProgram, timesOf } from "./native.mjs";
import { memory } from "./process.mjs";

const ROOT = path.resolve(import.meta.dirname, "..");
const TRACES = path.join(ROOT, "target/bench");
const RUNS = 5;
const TRACING = ["toplevel", "devtools.timeline", "blink.user_timing"];

/** A file of the corpus, if it is available. */
function sample(name) {
  const corpus = process.env.ZEVIEW_CORPUS;
  const file = corpus && path.join(corpus, "samples", name);
  return file && existsSync(file) ? file : null;
}

const ours = (name) => path.join(ROOT, "www/samples", name);
const manyKernels = () => sample("zebin/many600.dg2.igc2.40.zebin") ?? ours("kernels600.dg2.zebin");

// -- Files: functions that create them at a path ----------------------------

const copyOf = (file) => (place) => copyFile(file, place);

const withHoles = (gigabytes) => async (place) => {
  await copyFile(ours("vecadd.bmg.zebin"), place);
  const handle = await open(place, "r+");
  await handle.truncate(gigabytes * 2 ** 30);
  await handle.close();
};

const generated = (from, make) => async (place) => writeFile(place, make(await readFile(path.join(ROOT, from)), 60_000));

// -- Measurements of the browser ------------------------------------------------------

/** The memory of a fully loaded page without a file. */
async function idleMemory() {
  const page = await openPage();
  const bytes = await memory(page);
  await closePage(page);
  return bytes;
}

/** Tasks between two marks, on the thread that set them, with their processor time in ms. */
function tasksBetween(events, first, last) {
  const [from, to] = [first, last].map((mark) => events.find((event) => event.name === mark));
  const isTask = (event) => event.name === "ThreadControllerImpl::RunTask" && event.ph === "X";
  return events
    .filter((event) => isTask(event) && event.pid === from.pid && event.tid === from.tid)
    .filter((event) => event.ts + event.dur >= from.ts && event.ts <= to.ts)
    .map((event) => (event.tdur ?? event.dur) / 1000);
}

const sum = (numbers) => numbers.reduce((all, number) => all + number, 0);

// -- In the page ----------------------------------------------------------------

/**
 * Runs in the page before its own scripts. `globalThis.shown[i]` resolves when the rows of file
 * `names[i]` have been painted: with the times of the drop and of the paint since navigation began.
 */
function watchDrops({ names, panel, rows }) {
  const resolves = [];
  globalThis.shown = names.map(() => new Promise((resolve) => resolves.push(resolve)));
  const seen = new Set();
  document.addEventListener("drop", ({ dataTransfer }) => {
    const [{ name }] = dataTransfer.files;
    // The page replays drops that preceded the app.
    if (seen.has(name)) return;
    seen.add(name);
    const number = names.indexOf(name);
    performance.mark(`zeview-drop-${number}`);
    const drop = performance.now();
    let clicked = panel === null;
    const look = () => {
      const isOpen = document.querySelector(`.head-line [title*="${name}"]`) !== null;
      if (isOpen && !clicked) {
        const tabs = [...document.querySelectorAll(".tabs [role=tab]")];
        const tab = tabs.find((tab) => tab.textContent.trim().startsWith(panel));
        tab?.click();
        clicked = tab !== undefined;
      }
      if (!isOpen || !clicked || document.querySelectorAll(rows).length <= 3) return requestAnimationFrame(look);
      // The next task runs after this frame's style, layout and paint.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        performance.mark(`zeview-shown-${number}`);
        resolves[number]({ drop, shown: performance.now() });
      };
      port2.postMessage(null);
    };
    requestAnimationFrame(look);
  }, { capture: true });
}

/** The total duration in milliseconds of the main thread's tasks so far. */
async function taskTime(session) {
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
}

async function taskSession(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  return session;
}

/** Inserts a document into a blank page with the same style sheets; returns the work of its main thread. */
async function blankWork(page, html) {
  const blank = await page.context().newPage();
  const [, head] = /<head>(.*?)<\/head>/s.exec(html);
  const sheets = head.match(/<link [^>]*rel="stylesheet"[^>]*>/g).join("");
  const [root] = /<html[^>]*>/.exec(html);
  // A letter of each font, so that the floor includes loading fonts.
  const body = `<body><p>x</p><p class="mono">x</p></body>`;
  const address = new URL("blank.html", page.url()).href;
  await blank.route(address, (route) => route.fulfill({
    contentType: "text/html",
    body: `<!doctype html>${root}<head>${sheets}</head>${body}</html>`,
  }));
  await blank.goto(address);
  const session = await taskSession(blank);
  await blank.evaluate((html) => { globalThis.html = html; }, /<body[^>]*>(.*)<\/body>/s.exec(html)[1]);
  const before = await taskTime(session);
  await blank.evaluate(() => new Promise((resolve) => {
    const put = () => {
      document.body.innerHTML = globalThis.html;
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve();
        port2.postMessage(null);
      });
    };
    requestAnimationFrame(() => setTimeout(put));
  }));
  const work = (await taskTime(session)) - before;
  await blank.close();
  return work;
}

/** Scrolls down a list, one step per frame. */
async function scrollThrough(page, list) {
  await page.locator(list).evaluate(async (tree) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    for (let i = 0; i <= 60; i++) {
      tree.scrollTop = (tree.scrollHeight * i) / 60;
      await frame();
    }
  });
}

// -- Runs -----------------------------------------------------------------------

const status = async (page) => (await page.locator("footer").innerText()).replaceAll("\u00a0", " ");

async function measure(name, make, idle, options = {}) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "zeview-"));
  const names = [`${name}-first.bin`, `${name}-second.bin`];
  const files = names.map((name) => path.join(folder, name));
  try {
    for (const file of files) await make(file);
    const figures = await measureFiles(files, idle, options);
    const traces = await traceFiles(name, files, options);
    // Native milliseconds of the first and the second file.
    const native = await timesOf("open", files[0]);
    return figures.map((result, number) => ({ ...result, ...traces[number], native: native[number] }));
  } finally {
    await rm(folder, { recursive: true });
  }
}

const watchedPage = (files, { panel = null, rows = "[role=treeitem]" }) => openPage({
  until: "started",
  before: (page) => page.addInitScript(watchDrops, { names: files.map((file) => path.basename(file)), panel, rows }),
});

async function measureFiles(files, idle, options) {
  const page = await watchedPage(files, options);
  try {
    const session = await taskSession(page);
    const results = [];
    for (const [number, file] of files.entries()) {
      const before = await taskTime(session);
      await dropFromDisk(page, [file]);
      const { drop, shown } = await page.evaluate((number) => globalThis.shown[number], number);
      const work = (await taskTime(session)) - before;
      const html = await page.evaluate(() => document.documentElement.outerHTML);
      if (options.scroll) await scrollThrough(page, options.scroll);
      const read = /read (.*?) ?(?:of|$|\n)/.exec(await status(page))?.[1] ?? "";
      const held = Math.max(0, (await memory(page)) - idle);
      results.push({ wall: shown - drop, work, floor: await blankWork(page, html), read, memory: held });
    }
    return results;
  } finally {
    await closePage(page);
  }
}

/** The time of an entry of the performance timeline in a trace, in milliseconds. */
function measured(events, name) {
  const at = (phase) => events.find((event) => event.name === name && event.ph === phase && event.cat.includes("user_timing"))?.ts;
  return (at("e") - at("b")) / 1000;
}

async function traceFiles(name, files, options) {
  const page = await watchedPage(files, options);
  try {
    const results = [];
    for (const [number, file] of files.entries()) {
      await page.context().browser().startTracing(page, { categories: TRACING });
      await dropFromDisk(page, [file]);
      await page.evaluate((number) => globalThis.shown[number], number);
      if (options.scroll) await scrollThrough(page, options.scroll);
      await page.evaluate((number) => { performance.mark(`zeview-end-${number}`); }, number);
      const text = (await page.context().browser().stopTracing()).toString();
      const { traceEvents: events } = JSON.parse(text);
      await mkdir(TRACES, { recursive: true });
      await writeFile(path.join(TRACES, `${name}-${number}.trace.json`), text);
      results.push({
        longest: Math.max(...tasksBetween(events, `zeview-drop-${number}`, `zeview-end-${number}`)),
        decoder: measured(events, "zeview open"),
      });
    }
    return results;
  } finally {
    await closePage(page);
  }
}

/**
 * Times on a connection of 10 Mbit/s until a file can be dropped and until it is shown, with an empty
 * cache and on the next visit, with the page cached by the service worker.
 */
async function visit(file) {
  const base64 = (await readFile(file)).toString("base64");
  const page = await openPage({
    until: "started",
    offline: true,
    before: async (page) => {
      await page.addInitScript(watchDrops, { names: ["visit.bin"], panel: null, rows: "[role=treeitem]" });
      // Input from outside the page cannot arrive this early.
      await page.addInitScript((base64) => {
        document.addEventListener("DOMContentLoaded", () => {
          const dataTransfer = new DataTransfer();
          const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
          dataTransfer.items.add(new File([bytes], "visit.bin"));
          document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
        });
      }, base64);
      const session = await page.context().newCDPSession(page);
      await session.send("Network.enable");
      const bytes = 10e6 / 8;
      await session.send("Network.emulateNetworkConditions", {
        offline: false, latency: 50, downloadThroughput: bytes, uploadThroughput: bytes,
      });
    },
  });
  const seen = () => page.evaluate(async () => {
    const { drop, shown } = await globalThis.shown[0];
    return { drop, shown, paint: performance.getEntriesByName("first-contentful-paint")[0].startTime };
  });
  const first = await seen();
  await page.evaluate(async () => { await navigator.serviceWorker.ready; });
  await load(page, () => page.reload(), { until: "started" });
  const next = await seen();
  await closePage(page);
  return { first, next };
}

const COMPARED = ["from.zebin", "to.zebin"];

/** Runs in the page: clicks the Compare button and returns the milliseconds until the summary is painted. */
function compareBy({ label, from }) {
  const panel = document.querySelector("[role=tabpanel]:not([hidden])");
  const button = [...panel.querySelectorAll("button")].find((button) => button.textContent === label);
  const isShown = () => document.querySelector(".compare-head dd b")?.textContent === from;
  return new Promise((resolve) => {
    performance.mark("zeview-compare");
    const start = performance.now();
    button.click();
    const look = () => {
      if (!isShown()) return requestAnimationFrame(look);
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        performance.mark("zeview-compared");
        resolve(performance.now() - start);
      };
      port2.postMessage(null);
    };
    requestAnimationFrame(look);
  });
}

/** Compares two open files in both directions: time from the click to the summary. */
async function comparison(makes, program) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "zeview-"));
  const files = COMPARED.map((name) => path.join(folder, name));
  for (const [number, make] of makes.entries()) await make(files[number]);
  const page = await openPage({ until: "started" });
  const results = [];
  try {
    for (const [number, file] of files.entries()) {
      await dropFromDisk(page, [file]);
      await page.locator(`.head-line [title*="${COMPARED[number]}"]`).first().waitFor();
    }
    await page.getByRole("tab", { name: "Compare" }).click();
    await page.getByRole("tabpanel").getByRole("button", { name: COMPARED[0] }).waitFor();
    for (const [label, from] of [[COMPARED[0], COMPARED[0]], ["Swap", COMPARED[1]]]) {
      await page.context().browser().startTracing(page, { categories: TRACING });
      const wall = await page.evaluate(compareBy, { label, from });
      const trace = await page.context().browser().stopTracing();
      const { traceEvents: events } = JSON.parse(trace.toString());
      const tasks = tasksBetween(events, "zeview-compare", "zeview-compared");
      results.push({ wall, work: sum(tasks), longest: Math.max(...tasks), native: await nativeComparison(program, files) });
      files.reverse();
    }
  } finally {
    await closePage(page);
    await rm(folder, { recursive: true });
  }
  return results;
}

/** Run time of `zeview diff` for two files in milliseconds, as a process. */
async function nativeComparison(program, files) {
  const start = performance.now();
  // It exits with 1 if the files differ.
  await promisify(execFile)(program, ["diff", ...files], { maxBuffer: 2 ** 30 })
    .catch((error) => { if (error.code !== 1) throw error; });
  return performance.now() - start;
}

const LIBRARY = { images: 230, kernels: 10, megabytes: 330 };

/** Runs in the page: the time since navigation began at which `isThere()` holds and is painted. */
function paintedWhen(isThere) {
  return new Promise((resolve) => {
    const look = () => {
      if (!isThere()) return requestAnimationFrame(look);
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => resolve(performance.now());
      port2.postMessage(null);
    };
    look();
  });
}

/** Drops a library and shows its kernels: clicks Stop if `stops`, and traces the page if `traces`. */
async function libraryRun(file, { stops = false, traces = false }) {
  const page = await openPage({
    until: "started",
    before: async (page) => {
      await page.addInitScript(`globalThis.paintedWhen = ${paintedWhen}`);
      await page.addInitScript(() => {
        document.addEventListener("drop", () => { performance.mark("zeview-drop"); globalThis.droppedAt ??= performance.now(); }, { capture: true });
      });
    },
  });
  try {
    if (traces) await page.context().browser().startTracing(page, { categories: TRACING });
    await dropFromDisk(page, [file]);
    const times = await page.evaluate(async (stops) => {
      const tab = () => [...document.querySelectorAll(".tabs [role=tab]")].find((tab) => tab.textContent.trim().startsWith("Kernels"));
      const open = await paintedWhen(() => tab() !== undefined);
      tab().click();
      const click = performance.now();
      const first = await paintedWhen(() => document.querySelectorAll("#kernels [role=row]").length > 3);
      const reading = () => document.querySelector(".reading");
      let stop = 0;
      if (stops) {
        const button = () => [...(reading()?.querySelectorAll("button") ?? [])].find((button) => button.textContent === "Stop");
        await paintedWhen(() => button() !== undefined);
        const start = performance.now();
        button().click();
        stop = (await paintedWhen(() => /stopped/.test(reading()?.textContent ?? ""))) - start;
      }
      const all = stops ? 0 : await paintedWhen(() => reading() === null);
      performance.mark("zeview-read");
      return { open: open - globalThis.droppedAt, first: first - click, all: all - click, stop };
    }, stops);
    if (!traces) return times;
    const trace = await page.context().browser().stopTracing();
    const { traceEvents: events } = JSON.parse(trace.toString());
    return { ...times, longest: Math.max(...tasksBetween(events, "zeview-drop", "zeview-read")) };
  } finally {
    await closePage(page);
  }
}

async function libraryTable() {
  const folder = await mkdtemp(path.join(os.tmpdir(), "zeview-"));
  const file = process.env.ZEVIEW_LIBRARY ?? path.join(folder, "library.so");
  const { images, kernels, megabytes } = LIBRARY;
  if (!process.env.ZEVIEW_LIBRARY) await timesOf("library", "write", file, images, kernels, megabytes);
  const [runs, stopped, traced, native] = [[], [], [], []];
  for (let i = 0; i < RUNS; i++) {
    runs.push(await libraryRun(file, {}));
    native.push(await timesOf("library", "read", file));
    stopped.push(await libraryRun(file, { stops: true }));
    traced.push(await libraryRun(file, { traces: true }));
  }
  await rm(folder, { recursive: true });
  const of = (value) => median(runs.map(value));
  const nativeOf = (at) => median(native.map((times) => times[at]));
  const all = [of((run) => run.all), nativeOf(2) - nativeOf(0)];
  console.log("\n| A library: what somebody waits for | Page | Native | Times native |\n|---|---|---|---|");
  const line = (label, page, other) =>
    console.log(`| ${label} | ${ms(page)} | ${other === null ? "" : ms(other)} | ${other === null ? "" : (page / other).toFixed(1)} |`);
  line("drop to overview", of((run) => run.open), nativeOf(0));
  line("click on Kernels to first rows", of((run) => run.first), nativeOf(1) - nativeOf(0));
  line("click on Kernels to all kernels", ...all);
  line("Stop", median(stopped.map((run) => run.stop)), null);
  line("longest task of the page", Math.max(...traced.map((run) => run.longest)), null);
}

// -- Tables ---------------------------------------------------------------------

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Names of the rows to measure; default: all. */
const WANTED = process.argv.slice(2);
const isWanted = (name) => WANTED.length === 0 || WANTED.includes(name);

const ms = (number) => `${number.toFixed(number < 10 ? 1 : 0)} ms`;

async function row(label, name, make, idle, options) {
  if (!isWanted(name)) return;
  const runs = [];
  for (let i = 0; i < RUNS; i++) runs.push(await measure(name, make, idle, options));
  for (const [number, which] of ["cold", "second"].entries()) {
    const own = runs.map((run) => run[number]);
    const of = (value) => median(own.map(value));
    const cells = [
      `${label}, ${which}`,
      ms(of((run) => run.wall)),
      ms(of((run) => run.work)),
      ms(of((run) => run.floor)),
      of((run) => run.work / run.floor).toFixed(1),
      ms(of((run) => run.decoder)),
      ms(of((run) => run.native)),
      of((run) => run.decoder / run.native).toFixed(1),
      ms(Math.max(...own.map((run) => run.longest))),
      own[0].read,
      `${(of((run) => run.memory) / 1e6).toFixed(0)} MB`,
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}

async function compared(label, makes) {
  const program = await ownProgram();
  const runs = [];
  for (let i = 0; i < RUNS; i++) runs.push(await comparison(makes, program));
  for (const [number, which] of ["cold", "the other way round"].entries()) {
    const of = (value) => median(runs.map((run) => value(run[number])));
    const longest = Math.max(...runs.map((run) => run[number].longest));
    const times = [of((run) => run.wall), of((run) => run.work), longest, of((run) => run.native)];
    console.log(`| ${label}, ${which} | ${times.map(ms).join(" | ")} |`);
  }
}

const KERNELS = { panel: "Kernels", rows: "[role=grid][aria-label=Kernels] [role=row]" };
const RELOCATIONS = { panel: "Relocations", rows: "#relocations [role=row]" };
const ASSEMBLY = { panel: "Assembly", rows: "#instructions [role=row]" };
const GRAPH = { panel: "Modules", rows: "#graph .node" };
try {
  console.log(`Medians of ${RUNS} fresh pages; the longest task is that of all of them.\n`);
  const heads = ["File, and what is looked at", "Drop to rows", "Page's work", "Floor", "Times the floor", "Decoder", "Native", "Times native", "Longest task of the page", "Read", "Memory"];
  console.log(`| ${heads.join(" | ")} |\n|${"---|".repeat(heads.length)}`);
  const idle = await idleMemory();
  const table = (label, name, make, options) => row(label, name, make, idle, options);
  await table("one kernel, 6 KB: tree", "small", copyOf(ours("vecadd.bmg.zebin")));
  await table("600 kernels, 3 MB: tree, scrolled through", "kernels600", copyOf(manyKernels()), { scroll: "[role=tree]" });
  await table("600 kernels, 3 MB: Kernels", "kernels600-table", copyOf(manyKernels()), KERNELS);
  await table("SYCLBIN v2, 12 modules, 143 KB: Modules", "modules-few", copyOf(ours("matmul.syclbin")), GRAPH);
  for (const version of ["v1", "v2"]) {
    const file = sample(`syclbin-good/${version}_10k_modules.syclbin`);
    if (file) await table(`SYCLBIN ${version}, 10 000 modules: Modules`, `modules-${version}`, copyOf(file), GRAPH);
  }
  const kernels = generated("www/samples/vecadd.bmg.zebin", withKernels);
  await table("60 000 kernels, 6 MB: Kernels, scrolled through", "kernels60000", kernels, { ...KERNELS, scroll: "#kernels" });
  const relocations = generated("tests/fixtures/zebin/funcs-stackcall.cri.igc2.40.zebin", withRelocations);
  await table("60 000 relocations, 1 MB: Relocations, scrolled through", "relocations60000", relocations, { ...RELOCATIONS, scroll: "#relocations" });
  const code = generated("www/samples/spill.dg2.zebin", withCode);
  await table("60 000 instructions, 1 MB: Assembly, scrolled through", "code60000", code, { ...ASSEMBLY, scroll: "#instructions" });
  for (const gigabytes of [1, 5]) await table(`${gigabytes} GB with holes: tree`, `${gigabytes}GB`, withHoles(gigabytes));
  if (isWanted("compare")) {
    console.log("\n| Two open files compared | Click to summary | Page's work | Longest task of the page | `zeview diff` |\n|---|---|---|---|---|");
    const devices = ["dg2", "bmg"].map((device) => sample(`zebin/many600.${device}.igc2.40.zebin`));
    if (devices.every(Boolean)) await compared("two devices, 600 kernels each, 5.6 MB", devices.map(copyOf));
    await compared("60 000 kernels each, 12 MB, the same", [kernels, kernels]);
  }
  if (isWanted("library")) await libraryTable();
  if (isWanted("visit")) {
    const runs = [];
    for (let i = 0; i < RUNS; i++) runs.push(await visit(ours("vecadd.bmg.zebin")));
    const of = (key) => ["first", "next"].map((visit) => ms(median(runs.map((run) => run[visit][key])))).join(" | ");
    console.log("\n| 10 Mbit/s, 50 ms to the host: since the visit began | Empty cache | Next visit |\n|---|---|---|");
    console.log(`| the page is painted | ${of("paint")} |`);
    console.log(`| it takes files: one of 6 KB is dropped | ${of("drop")} |`);
    console.log(`| its rows are painted | ${of("shown")} |`);
  }
} finally {
  await closeBrowser();
}
