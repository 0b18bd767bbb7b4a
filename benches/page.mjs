// What the page costs in Chromium: `cargo xtask bench page` (after `cargo xtask dist`).
//
// Prints a table in Markdown. Tasks are those of the page's main thread in Chromium's own
// trace, which is kept in target/bench, in processor time: what else the machine does counts
// less. Memory is what the page's process holds more than before the file was dropped. With
// ZEVIEW_CORPUS its file of 600 kernels is opened, else the sample that comes with the page.

import { existsSync } from "node:fs";
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { closeBrowser, closePage, dropFromDisk, openPage } from "../tests/browser/harness.mjs";

const ROOT = path.resolve(import.meta.dirname, "..");
const TRACES = path.join(ROOT, "target/bench");
const RUNS = 5;

function manyKernels() {
  const corpus = process.env.ZEVIEW_CORPUS;
  const file = corpus && path.join(corpus, "samples/zebin/many600.dg2.igc2.40.zebin");
  return file && existsSync(file) ? file : path.join(ROOT, "www/samples/kernels600.dg2.zebin");
}

async function withHoles(folder, gigabytes) {
  const file = path.join(folder, `${gigabytes}GB.zebin`);
  await writeFile(file, await readFile(path.join(ROOT, "www/samples/vecadd.bmg.zebin")));
  const handle = await open(file, "r+");
  await handle.truncate(gigabytes * 2 ** 30);
  await handle.close();
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

/** The tasks of the page's main thread, in milliseconds of processor time. */
function tasksOf(trace) {
  const events = JSON.parse(trace).traceEvents;
  const names = events.filter((event) => event.name === "thread_name" && event.args.name === "CrRendererMain");
  const main = new Set(names.map((event) => `${event.pid}/${event.tid}`));
  return events
    .filter((event) => event.name === "ThreadControllerImpl::RunTask" && event.ph === "X" && main.has(`${event.pid}/${event.tid}`))
    .map((event) => (event.tdur ?? event.dur) / 1000);
}

async function measure(name, file, { scroll = false } = {}) {
  const page = await openPage();
  const before = await memory(page);
  const browser = page.context().browser();
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline"] });
  await page.evaluate(() => {
    globalThis.shown = new Promise((resolve) => {
      document.addEventListener("drop", () => {
        const start = performance.now();
        const look = () => {
          const there = document.querySelectorAll("[role=treeitem]").length > 3;
          if (there) resolve(performance.now() - start);
          else requestAnimationFrame(look);
        };
        look();
      }, { capture: true, once: true });
    });
  });
  await dropFromDisk(page, [file]);
  const wall = await page.evaluate(() => globalThis.shown);
  if (scroll) await scrollThrough(page);
  await page.waitForTimeout(300);
  const trace = (await browser.stopTracing()).toString();
  const tasks = tasksOf(trace);
  const status = (await page.locator("footer").innerText()).replaceAll("\u00a0", " ");
  const after = await memory(page);
  await closePage(page);
  await mkdir(TRACES, { recursive: true });
  await writeFile(path.join(TRACES, `${name}.trace.json`), trace);
  return {
    wall,
    decoder: Number(/decoded in (\d+) ms/.exec(status)?.[1]),
    read: /read (.*?) ?(?:of|$|\n)/.exec(status)?.[1] ?? "",
    longest: Math.max(0, ...tasks),
    memory: Math.max(0, after - before),
  };
}

/** Up and down through the tree, as fast as frames come. */
async function scrollThrough(page) {
  await page.locator("[role=tree]").evaluate(async (tree) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    for (let i = 0; i <= 60; i++) {
      tree.scrollTop = (tree.scrollHeight * i) / 60;
      await frame();
    }
  });
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function row(label, name, file, options) {
  const runs = [];
  for (let i = 0; i < RUNS; i++) runs.push(await measure(name, file, options));
  const of = (key) => median(runs.map((run) => run[key]));
  const longest = Math.max(...runs.map((run) => run.longest));
  console.log(
    `| ${label} | ${of("wall").toFixed(0)} ms | ${of("decoder").toFixed(0)} ms | ${longest.toFixed(0)} ms | ${runs[0].read} | ${(of("memory") / 1e6).toFixed(0)} MB |`,
  );
}

const folder = await mkdtemp(path.join(os.tmpdir(), "zeview-"));
try {
  console.log(`Medians of ${RUNS} fresh pages; the longest task is that of all of them.\n`);
  console.log("| File | Drop to tree | of it the decoder | Longest task of the page | Read | Memory |");
  console.log("|---|---|---|---|---|---|");
  await row("one kernel, 6 KB", "small", path.join(ROOT, "www/samples/vecadd.bmg.zebin"));
  await row("600 kernels, 3 MB, scrolled through", "kernels600", manyKernels(), { scroll: true });
  await row("1 GB with holes", "1GB", await withHoles(folder, 1));
  await row("5 GB with holes", "5GB", await withHoles(folder, 5));
} finally {
  await rm(folder, { recursive: true });
  await closeBrowser();
}
