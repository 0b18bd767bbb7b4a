// Memory that a page retains after everything is closed: `cargo xtask bench memory` (after `cargo
// xtask dist`).
//
// Prints a Markdown table. Opens, views and closes files one after another; then adds embeds to
// another page, shows and removes them. Finally opens ten files at once, in a tab each. Before each
// measurement, garbage is collected and Chromium gets a memory pressure notification, so that it
// releases its caches.
//
// * One: after closing the first. Start: after WARM of them, when Chromium's caches are full (it
//   keeps compiled code and freed memory of some frames and workers).
// * Peak: the maximum on the way, with a file or an embed open.
// * End: everything closed. Process is the resident set of the page's process, including the memory
//   of decoders; the other values are Chromium's counts for the page's thread.
//
// Fails if a count ends more than 10% above its start, or if ten tabs take over 10% more than ten
// times the increase for one tab. The numbers of files and embeds can be set: `node
// benches/memory.mjs 50 20`.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { closeBrowser, closePage, dropBytes, eventually, expectRequests, openPage } from "../tests/browser/harness.mjs";
import { memory } from "./process.mjs";

const SAMPLES = path.resolve(import.meta.dirname, "../www/samples");
const NAMES = ["vecadd.bmg.zebin", "spill.dg2.zebin", "matmul.syclbin", "program.host", "damaged.zebin"];
/** Warm-up rounds with files and with embeds, each of which has its own decoder. */
const WARM = [100, 60];
const EVERY = 10;
/** Maximum ratio of end to start. */
const LEFT = 1.1;

const [FILES = 500, EMBEDS = 200] = process.argv.slice(2).map(Number);

/** Memory of the page after garbage collection. */
async function held(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  await session.send("Memory.simulatePressureNotification", { level: "critical" });
  for (let i = 0; i < 3; i++) {
    await session.send("HeapProfiler.collectGarbage");
    await page.waitForTimeout(150);
  }
  const { metrics } = await session.send("Performance.getMetrics");
  await session.detach();
  const metric = (wanted) => metrics.find(({ name }) => name === wanted).value;
  return {
    Process: await memory(page),
    "JavaScript heap": metric("JSHeapUsedSize"),
    "Nodes of documents": metric("Nodes"),
    "Event listeners": metric("JSEventListeners"),
    Documents: metric("Documents"),
  };
}

/** Repeats `open` and `close`, and measures after the first time, at the start, the peak, and at the end. */
async function series(page, warm, count, open, close) {
  let [one, start, peak] = [null, null, {}];
  for (let i = 0; i < count + warm; i++) {
    if (i === 1) one = await held(page);
    if (i === warm) start = await held(page);
    await open(i);
    if (i % EVERY === 0) {
      const now = await held(page);
      peak = Object.fromEntries(Object.entries(now).map(([what, size]) => [what, Math.max(size, peak[what] ?? 0)]));
    }
    await close(i);
  }
  return { one, start, peak, end: await held(page) };
}

async function files() {
  const page = await openPage();
  const bytes = await Promise.all(NAMES.map((name) => readFile(path.join(SAMPLES, name))));
  const named = (i) => `${i}-${NAMES[i % NAMES.length]}`;
  const open = async (i) => {
    await dropBytes(page, { [named(i)]: bytes[i % NAMES.length] });
    const kernels = page.getByRole("tablist", { name: "Panels" }).getByRole("tab", { name: /^Kernels/ });
    if ((await kernels.count()) > 0) await kernels.click();
    await page.getByRole("treeitem").nth(2).waitFor();
  };
  const close = async () => {
    await page.getByRole("button", { name: "Close the file" }).first().click();
    await eventually(() => page.getByRole("treeitem").count(), 0);
  };
  const seen = await series(page, WARM[0], FILES, open, close);
  await closePage(page);
  return seen;
}

async function embeds() {
  const page = await openPage({
    address: "documentation.html",
    other: true,
    before: async (page) => {
      expectRequests(page, /./);
      await page.route("**/documentation.html", (route) => route.fulfill({
        contentType: "text/html",
        body: `<!doctype html><html lang="en"><title>Documentation</title><main></main><script src="./zeview-embed.js"></script>`,
      }));
    },
  });
  const open = (i) => page.evaluate((src) => new Promise((resolve) => {
    const embed = document.createElement("zeview-embed");
    for (const [name, value] of Object.entries({ src, panel: "kernels", loading: "eager" })) embed.setAttribute(name, value);
    embed.addEventListener("zeview-loaded", () => resolve(), { once: true });
    document.querySelector("main").append(embed);
  }), `samples/${NAMES[i % NAMES.length]}`);
  const close = () => page.evaluate(() => document.querySelector("zeview-embed").remove());
  const seen = await series(page, WARM[1], EMBEDS, open, close);
  await closePage(page);
  return seen;
}

const TABS = 10;

/** Memory without a file, with one tab, with several tabs, and after all are closed. */
async function tabs() {
  const page = await openPage({ width: 1440 });
  const bytes = await readFile(path.join(SAMPLES, "kernels600.dg2.zebin"));
  const open = async (count) => {
    for (let i = 0; i < count; i++) {
      // A different file each time, as equal files share a tab.
      await dropBytes(page, { [`${i}.zebin`]: Buffer.concat([bytes, Buffer.alloc(i + 1)]) });
      await page.getByRole("treeitem", { name: `${i}.zebin` }).waitFor();
      await page.getByRole("tablist", { name: "Panels" }).getByRole("tab", { name: /^Kernels/ }).click();
      await page.getByRole("grid", { name: "Kernels" }).locator("[data-row]").first().waitFor();
    }
  };
  const close = async (count) => {
    for (let i = 0; i < count; i++) await page.locator(".close, .close-file").first().click();
    await eventually(() => page.getByRole("treeitem").count(), 0);
  };
  const seen = {};
  // Until Chromium's caches are full.
  await open(TABS);
  await close(TABS);
  seen.none = await held(page);
  await open(1);
  seen.one = await held(page);
  await close(1);
  await open(TABS);
  seen.all = await held(page);
  await close(TABS);
  seen.end = await held(page);
  await closePage(page);
  return seen;
}

const shown = (what, size) => (/Process|heap/.test(what) ? `${(size / 1e6).toFixed(1)} MB` : String(size));

let isKept = false;
try {
  console.log("| What | Count of | One | Start | Peak | End | End of the start |\n|---|---|---|---|---|---|---|");
  for (const [label, run] of [[`${FILES} files opened and closed`, files], [`${EMBEDS} embeds shown and taken out`, embeds]]) {
    const { one, start, peak, end } = await run();
    for (const what of Object.keys(start)) {
      const share = end[what] === start[what] ? 1 : end[what] / start[what];
      isKept ||= share > LEFT;
      const sizes = [one, start, peak, end].map((sizes) => shown(what, sizes[what]));
      console.log(`| ${label} | ${what} | ${sizes.join(" | ")} | ${(share * 100).toFixed(0)} % |`);
    }
  }
  const { none, one, all, end } = await tabs();
  console.log(`\n| What | Without a file | One of 3 MB | ${TABS} | Times one | Closed |\n|---|---|---|---|---|---|`);
  for (const what of ["Process", "JavaScript heap"]) {
    const times = (all[what] - none[what]) / (one[what] - none[what]);
    isKept ||= times > TABS * LEFT || end[what] > none[what] * LEFT;
    const sizes = [none, one, all].map((sizes) => shown(what, sizes[what]));
    console.log(`| ${what} | ${sizes.join(" | ")} | ${times.toFixed(1)} | ${shown(what, end[what])} |`);
  }
} finally {
  await closeBrowser();
}
if (isKept) {
  console.error("something is kept");
  process.exitCode = 1;
}
