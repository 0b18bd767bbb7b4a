// Reopening a changed file keeps selection, expanded rows and panel.

import assert from "node:assert/strict";
import { copyFile, mkdtemp, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { axe, choose, dropFromDisk, eventually, journey, screenshot, showAllPanes } from "./harness.mjs";

showAllPanes();

const SAMPLES = path.join(import.meta.dirname, "../../www/samples");
const sample = (name) => path.join(SAMPLES, name);

const row = (page, name) => page.getByRole("treeitem", { name });
const selected = (page) => page.locator("[role=treeitem][aria-selected=true]");
const follow = (page) => page.getByRole("button", { name: "Watch the file" });
const changed = (page) => page.getByRole("button", { name: /^Compare with the previous build/ });

/** Runs with an open, followed copy of a sample; `write` replaces it with another one. */
async function followed(page, first, run) {
  const folder = await mkdtemp(path.join(tmpdir(), "reopen-"));
  try {
    const file = path.join(folder, "kernel.zebin");
    await copyFile(sample(first), file);
    await dropFromDisk(page, [file]);
    await page.locator(".head-line .chips").waitFor();
    const write = async (name) => {
      const { mtime } = await stat(file);
      if (typeof name === "string") await copyFile(sample(name), file);
      else await writeFile(file, name);
      await utimes(file, new Date(), new Date(mtime.getTime() + 5000));
    };
    await run(write);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function startFollowing(page) {
  await follow(page).click();
  await eventually(() => follow(page).getAttribute("aria-pressed"), "true");
}

/** Expands a row. */
async function expand(page, name) {
  await row(page, name).first().click();
  await page.keyboard.press("ArrowRight");
  await eventually(() => row(page, name).first().getAttribute("aria-expanded"), "true");
}

journey("a rebuild of a followed file keeps open branches, selection, panel and focus",
  { width: 1440, height: 700 },
  async (page) => {
    await followed(page, "vecadd-O0.bmg.zebin", async (write) => {
      // Records the tree's rows on each change.
      await choose(page.getByRole("tab", { name: "Symbols" }));
      await page.getByRole("searchbox", { name: /^Filter symbols/ }).fill("vecadd");
      await expand(page, /^ELF header/);
      await expand(page, /^\.ze_info/);
      await expand(page, /^kernels/);
      await expand(page, /^\.note\.intelgt\.compat/);
      await row(page, /^version/).last().click();
      await startFollowing(page);
      await page.getByRole("tree").focus();
      const scrolled = await page.getByRole("tree").evaluate((tree) => tree.scrollTop);
      assert.ok(scrolled > 0, "the journey is about a tree that is scrolled");
      await page.evaluate(() => {
        globalThis.seen = { rows: Infinity, top: Infinity, loading: false, lost: false };
        const look = () => {
          const { seen } = globalThis;
          seen.rows = Math.min(seen.rows, document.querySelectorAll("[role=treeitem]").length);
          seen.top = Math.min(seen.top, document.querySelector("#tree")?.scrollTop ?? 0);
          seen.loading ||= document.querySelector(".loading") !== null;
          seen.lost ||= document.activeElement?.id !== "tree";
          requestAnimationFrame(look);
        };
        look();
      });
      await write("vecadd.bmg.zebin");
      await changed(page).waitFor();
      // The new file is shown: the other build has less code.
      await eventually(() => page.locator("#head-tree ~ .mono").textContent(), /^5\D840 B$/);
      await eventually(() => selected(page).innerText(), /^version\s+"1\.73"/);
      const { rows, top, loading, lost } = await page.evaluate(() => globalThis.seen);
      assert.ok(rows > 20, `${rows} rows were there at the least`);
      assert.ok(top > 0, "the tree does not jump to its begin");
      assert.equal(loading, false, "the old version stays until the new one is open");
      assert.equal(lost, false, "the tree keeps the focus");
      for (const name of [/^ELF header/, /^\.ze_info/, /^kernels/, /^\.note\.intelgt\.compat/]) {
        await page.getByRole("tree").evaluate((tree) => { tree.scrollTop = 0; });
        await reveal(page, name);
        // Branches are opened one after the other, as their rows arrive.
        await eventually(() => row(page, name).first().getAttribute("aria-expanded"), "true");
      }
      await page.getByRole("tree").evaluate((tree, to) => { tree.scrollTop = to; }, scrolled);
      await eventually(() => selected(page).innerText(), /^version\s+"1\.73"/);
      await page.getByRole("region", { name: "Inspector" }).getByRole("heading", { name: "version" }).waitFor();
      assert.equal(await page.getByRole("tab", { name: /^Symbols/ }).getAttribute("aria-selected"), "true");
      await eventually(() => page.getByRole("searchbox", { name: /^Filter symbols/ }).inputValue(), "vecadd");
      await axe(page);
    });
  });

/** Scrolls until a row is in the DOM. */
async function reveal(page, name) {
  const drawn = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  // The rows of the current position: below them, one above is not found.
  await drawn();
  for (let i = 0; i < 20 && await row(page, name).count() === 0; i += 1) {
    await page.getByRole("tree").evaluate((tree) => { tree.scrollTop += 300; });
    await drawn();
  }
  await row(page, name).first().waitFor();
}

journey("if the selected node is gone, its closest ancestor is selected", { width: 1440, height: 900 }, async (page) => {
  await followed(page, "spill.dg2.zebin", async (write) => {
    await expand(page, /^\.ze_info/);
    await expand(page, /^kernels/);
    await expand(page, /^\d+ ?hugeprivate/);
    await row(page, /^execution_env/).first().click();
    await startFollowing(page);
    await write("vecadd.bmg.zebin");
    await changed(page).waitFor();
    await eventually(() => selected(page).innerText(), /^kernels/);
    await eventually(() => row(page, /^kernels \d/).getAttribute("aria-expanded"), "true");
    // The tree shows only the new version.
    assert.equal(await row(page, /hugeprivate/).count(), 0);
    await eventually(() => page.getByRole("button", { name: "Copy link" }).isEnabled(), true);
    await screenshot(page, "reopened");
  });
});

journey("the selected file is the new version", { width: 1440, height: 900 }, async (page) => {
  await followed(page, "vecadd.bmg.zebin", async (write) => {
    await startFollowing(page);
    await write("spill.dg2.zebin");
    await changed(page).waitFor();
    const { size } = await stat(sample("spill.dg2.zebin"));
    const hex = `0x${size.toString(16)}`;
    await eventually(() => page.getByRole("region", { name: "Inspector" }).innerText(), new RegExp(`Length.*\\(${hex}\\)`, "s"));
    assert.match(await page.locator("footer").innerText(), new RegExp(`0x0\\.\\.${hex} `));
  });
});

journey("Reopen keeps open branches too", { width: 1440, height: 900 }, async (page) => {
  await followed(page, "vecadd.bmg.zebin", async (write) => {
    await expand(page, /^ELF header/);
    await write("spill.dg2.zebin");
    await page.evaluate(() => window.dispatchEvent(new Event("focus")));
    await page.getByRole("button", { name: "Reopen…" }).click();
    await eventually(() => page.getByRole("button", { name: "Reopen…" }).count(), 0);
    await page.locator(".head-line .chips", { hasText: "3 kernels" }).waitFor();
    assert.equal(await row(page, /^ELF header/).getAttribute("aria-expanded"), "true");
    // Every panel shows the new file.
    await choose(page.getByRole("tab", { name: /^Kernels/ }));
    await page.getByRole("gridcell", { name: "hugeprivate" }).first().waitFor();
  });
});

journey("a panel shows the rows of the new version", { width: 1440, height: 900 }, async (page) => {
  await followed(page, "vecadd.bmg.zebin", async (write) => {
    await choose(page.getByRole("tab", { name: /^Kernels/ }));
    await page.getByRole("gridcell", { name: "vecadd" }).first().waitFor();
    await startFollowing(page);
    await write("spill.dg2.zebin");
    await page.getByRole("gridcell", { name: "hugeprivate" }).first().waitFor();
    await eventually(() => page.locator("#kernels [data-row]").count(), 3);
    // The bytes, too.
    await row(page, /^ELF header/).click();
    await page.locator("#hex").getByText(/^.*ELF.*$/).first().waitFor();
    await write("kernels600.dg2.zebin");
    await eventually(() => page.locator("#kernels").getAttribute("aria-rowcount"), /^60\d$/);
  });
});
