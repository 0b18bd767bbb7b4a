// Decoders: one per file, without a request, and recovery when one crashes.

import assert from "node:assert/strict";
import { mkdtemp, open as openFile, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { axe, choose, contextOf, dropBytes, dropFile, dropFromDisk, eventually, expectErrors, expectRequests, fixture, isIdle, journey, keepWorkers, kill } from "./harness.mjs";

const SAMPLES = path.join(import.meta.dirname, "../../www/samples");
const sample = (name) => path.join(SAMPLES, name);
const elfHeader = (page) => page.getByRole("treeitem", { name: "ELF header" });
const selected = (page) => page.locator("[role=treeitem][aria-selected=true]");

journey("files of all formats open without a network", {}, async (page) => {
  await contextOf(page).setOffline(true);
  await dropFile(page, sample("vecadd.bmg.zebin"));
  await elfHeader(page).waitFor();
  await dropFile(page, sample("damaged.zebin"));
  await page.getByRole("tab", { name: /damaged\.zebin/ }).and(page.locator("[aria-selected=true]")).waitFor();
  await elfHeader(page).waitFor();
  await dropBytes(page, { "third.zebin": await readFile(sample("vecadd.bmg.zebin")) });
  await page.getByRole("tab", { name: /third\.zebin/ }).and(page.locator("[aria-selected=true]")).waitFor();
  await elfHeader(page).waitFor();
  await dropFile(page, fixture("syclbin/up24_compressed_zstd.ob"));
  await page.getByRole("treeitem", { name: /^compressed/ }).waitFor();
  await axe(page);
});

journey("a crashed decoder is restarted once and the selection is kept", { before: keepWorkers }, async (page) => {
  await dropFile(page, sample("vecadd.bmg.zebin"));
  await elfHeader(page).click();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("treeitem", { name: /^e_shoff/ }).click();
  await page.getByText("0x28..0x30").waitFor();
  await isIdle(page);

  await kill(page);
  await page.getByRole("status").getByText(/restarted/).waitFor();
  await selected(page).getByText("e_shoff").waitFor();
  await page.getByText("0x28..0x30").waitFor();
  await isIdle(page);
  // The last requests may follow an answer.
  await page.waitForTimeout(500);
  await isIdle(page);

  await kill(page);
  const alert = page.getByRole("alert");
  await alert.getByRole("heading", { name: "The decoder crashed on this file" }).waitFor();
  await axe(page);
  // The page keeps working.
  await dropFile(page, sample("spill.dg2.zebin"));
  await page.getByRole("treeitem", { name: /^\.text\.spill/ }).waitFor();
});

journey("a request that crashed the decoder is not repeated and the file stays open", {
  before: async (page) => {
    await page.addInitScript(() => {
      globalThis.Worker = class extends Worker {
        postMessage(...args) {
          if (!globalThis.killNext) return super.postMessage(...args);
          globalThis.killNext = false;
          this.terminate();
          this.dispatchEvent(new ErrorEvent("error", { message: "out of memory" }));
        }
      };
    });
  },
}, async (page) => {
  const overview = page.getByRole("tabpanel", { name: "Overview" });
  const device = page.getByLabel("Check another GPU");
  const own = overview.getByText("(the file’s target)");
  await dropFile(page, sample("vecadd.bmg.zebin"));
  await own.waitFor();

  // The next request is for the other device.
  await device.fill("pvc");
  await page.evaluate(() => { globalThis.killNext = true; });
  await device.press("Enter");
  await page.getByRole("status").getByText(/was restarted/).waitFor();
  await elfHeader(page).waitFor();
  // The device stays, and the request is not repeated for it.
  await overview.getByRole("alert").getByText(/does not try this again/).waitFor();
  assert.equal(await own.count(), 0, "the verdict for the other device is not shown for this one");
  // Any other device can be requested.
  await device.fill("dg2");
  await device.press("Enter");
  await overview.getByText("on acm-g10 (selected device)").waitFor();
  await axe(page);
});

/** Kinds of work: what a user does for each, and how the page calls it. */
const WORKS = [
  ["a filter", "Kernels", "Filtering", (page) => page.getByRole("tabpanel", { name: "Kernels" }).getByRole("searchbox").fill("spill_size>0")],
  ["an order", "Kernels", "Sorting", (page) => page.locator("#kernels [role=columnheader]", { hasText: "B/thread" }).first().click()],
  ["code", "Kernels", "(Reading|Analyzing)", (page) => choose(page.getByRole("tab", { name: "Assembly", exact: true }))],
  ["a graph", "Assembly", "Drawing", (page) => page.getByRole("group", { name: "View" }).getByRole("button", { name: "Graph" }).click()],
  ["a device", "Overview", "Checking", async (page) => {
    const device = page.getByLabel("Check another GPU");
    await device.fill("pvc");
    await device.press("Enter");
  }],
  ["a search", "Kernels", "Searching", (page) => page.getByPlaceholder(/^Search names/).fill("spill")],
  ["an export", "Kernels", "Reading", async (page) => {
    await page.getByText("Export", { exact: true }).click();
    await page.getByRole("button", { name: "Copy as Markdown" }).click();
  }],
];

for (const [work, tab, words, act] of WORKS) {
  journey(`a decoder that is killed by ${work} comes back`, { before: keepWorkers }, async (page) => {
    const open = (name) => page.getByRole("tab", { name, exact: true });
    await dropFile(page, sample("spill.dg2.zebin"));
    await elfHeader(page).waitFor();
    await choose(open(tab));
    await isIdle(page);
    await page.evaluate(() => { globalThis.killNext = true; });
    await act(page);
    const restarted = `${words}.*: the decoder crashed and was restarted`;
    // The panel asks for code again at once, and is refused: that may be said in place of the crash.
    const said = work === "code" ? `${restarted}|^The decoder crashed: out of memory\\. zeview does not try this again` : restarted;
    await page.getByRole("status").getByText(new RegExp(said)).first().waitFor();
    await isIdle(page);
    assert.equal(await page.evaluate(() => globalThis.workers.filter((worker) => worker.dead).length), 1, "the request is not repeated");
    await axe(page);
    // Other work goes on.
    await choose(open("Problems"));
    await page.getByRole("tabpanel", { name: "Problems" }).waitFor();
    await choose(open("Overview"));
    await page.getByRole("tabpanel", { name: "Overview" }).getByRole("heading").first().waitFor();
  });
}

journey("long work is shown and can be stopped; panel, filter and order stay", {
  before: async (page) => {
    // A decoder that never finishes the next request.
    await page.addInitScript(() => {
      globalThis.Worker = class extends Worker {
        postMessage(...args) {
          if (globalThis.holdNext) this.held = true;
          globalThis.holdNext = false;
          if (!this.held) super.postMessage(...args);
        }
      };
    });
  },
}, async (page) => {
  await dropFile(page, sample("spill.dg2.zebin"));
  await choose(page.getByRole("tab", { name: "Kernels", exact: true }));
  const rows = page.locator("#kernels [data-row]");
  await page.locator("#kernels [role=columnheader]", { hasText: "B/thread" }).first().click();
  await page.locator("#kernels [aria-sort=descending]").waitFor();
  await eventually(() => rows.count(), 3);
  await page.evaluate(() => { globalThis.holdNext = true; });
  const filter = page.getByRole("tabpanel", { name: "Kernels" }).getByRole("searchbox");
  await filter.fill("spill_size>0");
  const status = page.getByRole("contentinfo");
  await status.getByText(/Filtering for \d+ s/).waitFor();
  await axe(page);
  await status.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("status").getByText("Stopped: Filtering.").waitFor();
  // It looks as before, and the work is not repeated.
  const panel = page.getByRole("tabpanel", { name: "Kernels" });
  await panel.getByText(/You stopped it after \d+ s/).waitFor();
  assert.equal(await filter.inputValue(), "spill_size>0");
  await page.locator("#kernels [aria-sort=descending]").waitFor();
  await axe(page);
  await panel.getByRole("button", { name: "Try again" }).click();
  await eventually(() => rows.count(), 1);
  assert.equal(await status.getByText(/Filtering/).count(), 0);
});

for (const [name, refuse] of [
  ["from blobs", () => {
    const Real = Worker;
    globalThis.Worker = function (address, options) {
      if (String(address).startsWith("blob:") && options?.type === "module") throw new Error("refused");
      return new Real(address, options);
    };
  }],
  ["of any kind", () => { globalThis.Worker = function () { throw new Error("refused"); }; }],
]) {
  journey(`files open even if workers ${name} are refused`, {
    before: async (page) => {
      expectRequests(page, /worker/); // Other ways are tried.
      await page.addInitScript(refuse);
    },
  }, async (page) => {
    await dropFile(page, sample("vecadd.bmg.zebin"));
    await elfHeader(page).waitFor();
  });
}

journey("a decoder that cannot be loaded is reported", {
  before: async (page) => {
    expectErrors(page, /worker/, /no decoder can be started/);
    expectRequests(page, /worker/); // Other ways are tried.
    await page.route("**/worker_bg.wasm", (route) => route.abort());
  },
}, async (page) => {
  await dropFile(page, sample("vecadd.bmg.zebin"));
  await page.getByRole("alert").getByRole("heading", { name: "The decoder could not be started" }).waitFor();
  await axe(page);
});

/** A sparse file, which occupies no disk space. */
async function sparse(folder, name, size, head) {
  const file = path.join(folder, name);
  await writeFile(file, head);
  const handle = await openFile(file, "r+");
  await handle.truncate(size);
  await handle.close();
  return file;
}

for (const [words, size] of [
  ["1 GB", 1 << 30],
  ["5 GB", 5 * 2 ** 30],
]) {
  journey(`opening a file of ${words} reads only its headers`, {}, async (page) => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "zeview-"));
    try {
      const head = await readFile(sample("vecadd.bmg.zebin"));
      await dropFromDisk(page, [await sparse(folder, "large.zebin", size, head)]);
      await elfHeader(page).waitFor();
      const read = await page.getByRole("navigation", { name: "Location" }).getByTitle(/read/).first().getAttribute("title");
      const [, amount, unit] = /read ([\d.,]+)\s(B|KB|KiB|MB|MiB) of/.exec(read.replaceAll("\u00a0", " ")) ?? [];
      assert.ok(amount, `the title of the file says how much was read: ${read}`);
      assert.ok(!unit.startsWith("M") || Number(amount) <= 4, `at most 4 MiB are read: ${read}`);
      // The end is read as fast as the start.
      await page.locator("#hex [role=grid], #hex[role=grid]").first().focus();
      await page.keyboard.press("Control+End");
    } finally {
      await rm(folder, { recursive: true });
    }
  });
}

journey("a file that changes on disk can be reopened", {}, async (page) => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "zeview-"));
  try {
    const file = path.join(folder, "changing.zebin");
    await writeFile(file, await readFile(sample("vecadd.bmg.zebin")));
    await dropFromDisk(page, [file]);
    await elfHeader(page).waitFor();
    await writeFile(file, await readFile(sample("spill.dg2.zebin")));
    await page.evaluate(() => window.dispatchEvent(new Event("focus")));
    await page.getByRole("alert").getByText(/was changed, moved or deleted/).waitFor();
    await page.getByRole("button", { name: "Reopen…" }).waitFor();
    await axe(page);
  } finally {
    await rm(folder, { recursive: true });
  }
});
