// What the page costs in Chromium: `cargo xtask bench page` (after `cargo xtask dist`).
//
// Prints a table in Markdown. A file is dropped, and the panel in question opened as soon as
// its tab is there. Work is what all threads of the page's process (the page's own, the
// decoder's) do from the drop until rows are shown, tasks are those of the page's main thread:
// both from Chromium's own trace, which is kept in target/bench, in processor time, so that
// what else the machine does counts less. Memory is what the page's process holds more than
// before the file was dropped. With ZEVIEW_CORPUS its files of 600 kernels and of 10 000
// modules are opened, else the sample of 600 kernels that comes with the page.

import { existsSync } from "node:fs";
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { withKernels, withRelocations } from "../tests/browser/generated.mjs";
import { closeBrowser, closePage, dropFromDisk, openPage } from "../tests/browser/harness.mjs";

const ROOT = path.resolve(import.meta.dirname, "..");
const TRACES = path.join(ROOT, "target/bench");
const RUNS = 5;

/** A file of the corpus, where there is one. */
function sample(name) {
  const corpus = process.env.ZEVIEW_CORPUS;
  const file = corpus && path.join(corpus, "samples", name);
  return file && existsSync(file) ? file : null;
}

const manyKernels = () => sample("zebin/many600.dg2.igc2.40.zebin") ?? path.join(ROOT, "www/samples/kernels600.dg2.zebin");

async function withHoles(folder, gigabytes) {
  const file = path.join(folder, `${gigabytes}GB.zebin`);
  await writeFile(file, await readFile(path.join(ROOT, "www/samples/vecadd.bmg.zebin")));
  const handle = await open(file, "r+");
  await handle.truncate(gigabytes * 2 ** 30);
  await handle.close();
  return file;
}

/** A file made from another one. */
async function generated(folder, name, from, make) {
  const file = path.join(folder, name);
  await writeFile(file, make(await readFile(path.join(ROOT, from)), 60_000));
  return file;
}

/** The memory of the page's process in bytes. */
async function memory(page) {
  const session = await page.context().browser().newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const sizes = [];
  for (const { type, id } of processInfo) {
    if (type !== "renderer") continue;
    const status = await readFile(`/proc/${id}/status`, "utf8").catch(() => "");
    sizes.push(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024);
  }
  return Math.max(...sizes);
}

/** Tasks of threads of this name in the page's process, with their processor time in ms. */
function tasksOf(events, thread) {
  const names = events.filter((event) => event.name === "thread_name");
  const key = (event) => `${event.pid}/${event.tid}`;
  const page = names.filter((event) => event.args.name === "CrRendererMain");
  const pages = new Set(page.map((event) => event.pid));
  const threads = new Set(names.filter((event) => pages.has(event.pid) && thread(event.args.name)).map(key));
  return events
    .filter((event) => event.name === "ThreadControllerImpl::RunTask" && event.ph === "X" && threads.has(key(event)))
    .map((event) => ({ start: event.ts, time: (event.tdur ?? event.dur) / 1000 }));
}

const isMain = (name) => name === "CrRendererMain";
const isDecoderOrMain = (name) => isMain(name) || name.startsWith("DedicatedWorker");

/** The page is left alone for so long before a file comes, as by a person, in milliseconds. */
const QUIET = 2000;

async function measure(name, file, { scroll = false, panel = null, shown = "[role=treeitem]" } = {}) {
  const page = await openPage();
  await page.waitForTimeout(QUIET);
  const before = await memory(page);
  const browser = page.context().browser();
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline", "blink.user_timing"] });
  await page.evaluate(({ panel, shown }) => {
    globalThis.shown = new Promise((resolve) => {
      document.addEventListener("drop", () => {
        performance.mark("zeview-drop");
        const start = performance.now();
        let clicked = panel === null;
        const look = () => {
          if (!clicked) {
            const tabs = [...document.querySelectorAll("[role=tab]")];
            const tab = tabs.find((tab) => tab.textContent.trim().startsWith(panel));
            tab?.click();
            clicked = tab !== undefined;
          }
          if (clicked && document.querySelectorAll(shown).length > 3) {
            performance.mark("zeview-shown");
            resolve(performance.now() - start);
          } else requestAnimationFrame(look);
        };
        look();
      }, { capture: true, once: true });
    });
  }, { panel, shown });
  await dropFromDisk(page, [file]);
  const wall = await page.evaluate(() => globalThis.shown);
  if (scroll) await scrollThrough(page, scroll);
  await page.waitForTimeout(300);
  const trace = (await browser.stopTracing()).toString();
  const events = JSON.parse(trace).traceEvents;
  const at = (mark) => events.find((event) => event.name === mark).ts;
  const within = ({ start }) => start >= at("zeview-drop") && start <= at("zeview-shown");
  const work = tasksOf(events, isDecoderOrMain).filter(within).reduce((sum, task) => sum + task.time, 0);
  const tasks = tasksOf(events, isMain).map((task) => task.time);
  const status = (await page.locator("footer").innerText()).replaceAll("\u00a0", " ");
  const after = await memory(page);
  await closePage(page);
  await mkdir(TRACES, { recursive: true });
  await writeFile(path.join(TRACES, `${name}.trace.json`), trace);
  return {
    wall,
    work,
    decoder: Number(/decoded in (\d+) ms/.exec(status)?.[1]),
    read: /read (.*?) ?(?:of|$|\n)/.exec(status)?.[1] ?? "",
    longest: Math.max(0, ...tasks),
    memory: Math.max(0, after - before),
  };
}

/** Down through a list, as fast as frames come. */
async function scrollThrough(page, list) {
  await page.locator(list).evaluate(async (tree) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    for (let i = 0; i <= 60; i++) {
      tree.scrollTop = (tree.scrollHeight * i) / 60;
      await frame();
    }
  });
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Only these rows, by their names; all without. */
const WANTED = process.argv.slice(2);

async function row(label, name, file, options) {
  if (WANTED.length > 0 && !WANTED.includes(name)) return;
  const runs = [];
  for (let i = 0; i < RUNS; i++) runs.push(await measure(name, file, options));
  const of = (key) => median(runs.map((run) => run[key]));
  const longest = Math.max(...runs.map((run) => run.longest));
  console.log(
    `| ${label} | ${of("wall").toFixed(0)} ms | ${of("work").toFixed(0)} ms | ${of("decoder").toFixed(0)} ms | ${longest.toFixed(0)} ms | ${runs[0].read} | ${(of("memory") / 1e6).toFixed(0)} MB |`,
  );
}

const folder = await mkdtemp(path.join(os.tmpdir(), "zeview-"));
const KERNELS = { panel: "Kernels", shown: "[role=grid][aria-label=Kernels] [role=row]" };
const RELOCATIONS = { panel: "Relocations", shown: "#relocations [role=row]" };
const GRAPH = { panel: "Modules", shown: "#module-graph .node" };
try {
  console.log(`Medians of ${RUNS} fresh pages; the longest task is that of all of them.\n`);
  console.log("| File, and what is looked at | Drop to rows | Work until then | of it the decoder | Longest task of the page | Read | Memory |");
  console.log("|---|---|---|---|---|---|---|");
  await row("one kernel, 6 KB: tree", "small", path.join(ROOT, "www/samples/vecadd.bmg.zebin"));
  await row("600 kernels, 3 MB: tree, scrolled through", "kernels600", manyKernels(), { scroll: "[role=tree]" });
  await row("600 kernels, 3 MB: Kernels", "kernels600-table", manyKernels(), KERNELS);
  await row("SYCLBIN v2, 12 modules, 143 KB: Modules", "modules-few", path.join(ROOT, "www/samples/matmul.syclbin"), GRAPH);
  for (const version of ["v1", "v2"]) {
    const file = sample(`syclbin-good/${version}_10k_modules.syclbin`);
    if (file) await row(`SYCLBIN ${version}, 10 000 modules: Modules`, `modules-${version}`, file, GRAPH);
  }
  const many = await generated(folder, "kernels.zebin", "www/samples/vecadd.bmg.zebin", withKernels);
  await row("60 000 kernels, 6 MB: Kernels, scrolled through", "kernels60000", many, { ...KERNELS, scroll: "#kernels" });
  const patched = await generated(folder, "relocations.zebin", "tests/fixtures/zebin/funcs-stackcall.cri.igc2.40.zebin", withRelocations);
  await row("60 000 relocations, 1 MB: Relocations, scrolled through", "relocations60000", patched, { ...RELOCATIONS, scroll: "#relocations" });
  await row("1 GB with holes: tree", "1GB", await withHoles(folder, 1));
  await row("5 GB with holes: tree", "5GB", await withHoles(folder, 5));
} finally {
  await rm(folder, { recursive: true });
  await closeBrowser();
}
