// Comparison of two files: opening, the list of differences, one difference, both trees.

import assert from "node:assert/strict";
import { copyFile, mkdtemp, readFile, rm, stat, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { axe, choose, dropBytes, dropFromDisk, eventually, expectRequests, fixture, journey, load, screenshot, showAllPanes } from "./harness.mjs";
import { zip } from "./zip.mjs";

showAllPanes();

const SAMPLES = path.join(import.meta.dirname, "../../www/samples");
const sample = (name) => readFile(path.join(SAMPLES, name));
const zebin = (name) => readFile(fixture(`zebin/${name}`));

const spill = await sample("spill.dg2.zebin");
const other = await zebin("spill.nvl-p.igc2.40.zebin");

const tab = (page, name) => page.getByRole("tab", { name });
const panelTab = (page, name) => page.getByRole("tablist", { name: "Panels" }).getByRole("tab", { name });
const differences = (page) => page.getByRole("grid", { name: "Differences" });
const change = (page) => page.getByRole("grid", { name: "Difference", exact: true });
const rows = (grid) => grid.locator("[data-row]");
const said = (page) => page.locator(".compare-head .said").getByText(/ differs?\.$/);
/** The names of the two files. A long name occurs twice: shortened and whole. */
const names = (page) => page.locator(".compare-head dd b").evaluateAll((heads) => heads.map((head) => (head.querySelector(".unseen") ?? head).textContent));
const both = (page) => dropBytes(page, { "before.zebin": spill, "after.zebin": other });

journey("two files dropped together are compared", { width: 1600, height: 1000 }, async (page) => {
  await both(page);
  await said(page).waitFor();
  await tab(page, "before.zebin").waitFor();
  assert.equal(await tab(page, "after.zebin").getAttribute("aria-selected"), "true");
  assert.equal(await panelTab(page, /^Compare/).getAttribute("aria-selected"), "true");
  assert.deepEqual(await names(page), ["before.zebin", "after.zebin"]);
  await rows(differences(page)).first().waitFor();
  // The first difference is shown with both sides.
  await rows(change(page)).first().waitFor();
  await axe(page);
});

journey("two kernels of one file are compared", { width: 1600, height: 1000 }, async (page) => {
  await dropBytes(page, { "spill.zebin": spill });
  await choose(panelTab(page, /^Kernels/));
  const kernels = page.getByRole("grid", { name: "Kernels" });
  const button = (name) => page.getByRole("button", { name });
  await rows(kernels).filter({ hasText: /^spill/ }).click();
  await button("Compare with …").click();
  await eventually(() => button("Compare with …").getAttribute("aria-pressed"), "true");
  await rows(kernels).filter({ hasText: /^bigprivate/ }).first().click();
  await button("Compare with spill").click();
  await rows(differences(page)).first().waitFor();
  assert.equal(await panelTab(page, /^Compare/).getAttribute("aria-selected"), "true");
  const compared = await names(page);
  assert.match(compared[0], /spill\.zebin: spill$/);
  assert.match(compared[1], /spill\.zebin: bigprivate/);
  await axe(page);
  // The other way round.
  await button("Swap").click();
  await eventually(async () => /spill\.zebin: spill$/.test((await names(page))[1]), true);
});

journey("a difference selects its bytes in both files", { width: 1600, height: 1000 }, async (page) => {
  await both(page);
  await rows(change(page)).first().waitFor();
  await rows(differences(page)).nth(1).click();
  await eventually(async () => rows(differences(page)).nth(1).getAttribute("aria-selected"), "true");
  const changed = rows(change(page)).filter({ hasText: "changed" }).filter({ has: page.locator(".there") }).first();
  await changed.click();
  await page.locator("[role=treeitem][aria-selected=true]").waitFor();
  const status = page.locator("footer .mono");
  // The location of the value in the first file: "show-in-base 0:start:end".
  const command = await changed.locator(".there").getAttribute("data-command");
  const [start, end] = command.split(":").slice(1).map((number) => Number(number).toString(16));
  const there = new RegExp(`^0x${start}\\.\\.0x${end} `);
  assert.doesNotMatch(await status.textContent(), there);
  // Enter shows the same in the first file.
  await page.keyboard.press("Enter");
  await eventually(() => tab(page, "before.zebin").getAttribute("aria-selected"), "true");
  await eventually(() => status.textContent(), there);
});

journey("a link restores the filter of the differences", {
  address: "?a=samples%2Fvecadd.bmg.zebin&b=samples%2Fspill.dg2.zebin#panel=compare&filter=part%3Dkernel",
  before: (page) => expectRequests(page, /samples\/(vecadd\.bmg|spill\.dg2)\.zebin$/),
}, async (page) => {
  await said(page).waitFor();
  assert.equal(await page.getByRole("searchbox", { name: "Filter differences" }).inputValue(), "part=kernel");
  await page.getByText(/^4 of \d+ differences$/).waitFor();
});

journey("keyboard: next difference, previous difference, end", { width: 1440, height: 900 }, async (page) => {
  await both(page);
  await rows(change(page)).first().waitFor();
  const selected = () => differences(page).locator("[aria-selected=true]").getAttribute("data-row");
  await eventually(selected, "0");
  await page.keyboard.press(".");
  await eventually(selected, "1");
  await page.keyboard.press(",");
  await eventually(selected, "0");
  await page.keyboard.press(",");
  await page.getByRole("status").getByText("This is the first difference.").waitFor();
});

journey("the panel lists files to compare with and accepts a dropped file", { width: 1280 }, async (page) => {
  await dropBytes(page, { "after.zebin": other });
  await choose(panelTab(page, "Compare"));
  await page.getByText("Compare with another build of these kernels").waitFor();
  await axe(page);
  await dropBytes(page, { "before.zebin": spill }, { on: "[data-base]" });
  await said(page).waitFor();
  assert.equal(await tab(page, "after.zebin").getAttribute("aria-selected"), "true");
  await page.getByRole("button", { name: "Swap" }).click();
  await eventually(() => tab(page, "before.zebin").getAttribute("aria-selected"), "true");
  await said(page).waitFor();
  assert.deepEqual(await names(page), ["after.zebin", "before.zebin"]);
});

journey("comparing with an open file", { width: 1280 }, async (page) => {
  await dropBytes(page, { "before.zebin": spill });
  await page.locator(".head-line .chips").waitFor();
  await dropBytes(page, { "after.zebin": other });
  await choose(panelTab(page, "Compare"));
  await page.getByRole("tabpanel").getByRole("button", { name: "before.zebin" }).click();
  await said(page).waitFor();
});

journey("a file equals itself", async (page) => {
  await dropBytes(page, { "a.zebin": spill, "b.zebin": spill });
  await page.getByText("The files are identical.").first().waitFor();
});

journey("differences are filtered and saved as a report", { width: 1440 }, async (page) => {
  await both(page);
  await rows(differences(page)).first().waitFor();
  const all = Number(await differences(page).getAttribute("aria-rowcount"));
  await page.getByRole("searchbox", { name: "Filter differences" }).fill("part=kernel");
  await eventually(async () => Number(await differences(page).getAttribute("aria-rowcount")) < all, true);
  await page.getByText("Report", { exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save as Markdown" }).first().click(),
  ]);
  assert.match(download.suggestedFilename(), /\.md$/);
  const text = await readFile(await download.path(), "utf8");
  assert.match(text, /before\.zebin/);
  assert.match(text, /after\.zebin/);
});

journey("an address with two files", {
  address: "?a=samples%2Fvecadd.bmg.zebin&b=samples%2Fspill.dg2.zebin",
  before: (page) => expectRequests(page, /samples\/(vecadd\.bmg|spill\.dg2)\.zebin$/),
}, async (page) => {
  await said(page).waitFor();
  assert.deepEqual(await names(page), ["vecadd.bmg.zebin", "spill.dg2.zebin"]);
  // The address still contains both.
  await eventually(() => page.evaluate(() => location.search), /^\?a=samples\/vecadd\.bmg\.zebin&b=samples\/spill\.dg2\.zebin$/);
});

journey("a followed file is compared with its previous version after a rebuild", { width: 1440, height: 900 }, async (page) => {
  const folder = await mkdtemp(path.join(tmpdir(), "follow-"));
  try {
    const file = path.join(folder, "kernel.zebin");
    await copyFile(path.join(SAMPLES, "vecadd.bmg.zebin"), file);
    await dropFromDisk(page, [file]);
    await page.locator(".head-line .chips").waitFor();
    await page.getByRole("button", { name: "Watch the file" }).click();
    await eventually(() => page.getByRole("button", { name: "Watch the file" }).getAttribute("aria-pressed"), "true");
    const { mtime } = await stat(file);
    await copyFile(path.join(SAMPLES, "spill.dg2.zebin"), file);
    await utimes(file, new Date(), new Date(mtime.getTime() + 5000));
    await page.getByRole("button", { name: /^Compare with the previous build/ }).waitFor();
    const notice = page.locator(".notice");
    await eventually(() => notice.innerText(), /changed and was reloaded\. Press b /);
    await page.keyboard.press("b");
    await said(page).waitFor();
    assert.deepEqual(await names(page), ["kernel.zebin (before)", "kernel.zebin"]);
    assert.equal(await notice.innerText(), "");
  } finally {
    await rm(folder, { recursive: true });
  }
});

const firstTree = (page) => page.getByRole("tree", { name: "Structure of before.zebin" });
const secondTree = (page) => page.getByRole("tree", { name: "Structure", exact: true });
const selectedIn = (tree) => tree.locator("[role=treeitem][aria-selected=true] .n").first().textContent();
/** Waits until a row with this name is selected in a tree. */
const isSelected = (tree, name) => eventually(() => selectedIn(tree), name);
const selectionIsInView = (tree) => tree.locator("[aria-selected=true]").evaluate((row) => {
  const [own, around] = [row, row.closest("[role=tree]")].map((element) => element.getBoundingClientRect());
  return own.top >= around.top && own.bottom <= around.bottom;
});

journey("side by side: both trees and both byte panes show the same difference", { width: 1600, height: 1000 }, async (page) => {
  await both(page);
  await rows(change(page)).first().waitFor();
  await page.getByRole("button", { name: "Side by side" }).click();
  await firstTree(page).getByRole("treeitem", { name: /\.ze_info/ }).waitFor();
  await secondTree(page).getByRole("treeitem", { name: /\.ze_info/ }).waitFor();
  await page.getByRole("grid", { name: "Bytes of before.zebin" }).waitFor();
  // A value that differs: the same key is selected in both.
  const changed = rows(change(page)).filter({ hasText: "changed" }).filter({ has: page.locator(".there") }).first();
  await rows(differences(page)).filter({ hasText: "changed" }).first().click();
  await changed.click();
  await eventually(async () => (await selectedIn(firstTree(page))) === (await selectedIn(secondTree(page))) && (await selectedIn(firstTree(page))) !== "before.zebin", true);
  await eventually(() => page.locator("#hex-beside .h .fs, #hex-beside .h .fw").count().then((count) => count > 0), true);
  await eventually(() => page.locator("#hex .h .fs, #hex .h .fw").count().then((count) => count > 0), true);
  assert.equal(await tab(page, "after.zebin").getAttribute("aria-selected"), "true");
  await axe(page);
  await screenshot(page, "compare-sides");
  // Both sides scroll together: the selected rows are at the same height.
  await page.locator("#hex-beside").hover();
  await page.mouse.wheel(0, 60);
  const height = (id) => page.locator(`${id} .hr.in`).first().boundingBox().then((box) => Math.round(box?.y ?? -1));
  await eventually(async () => Math.abs((await height("#hex-beside")) - (await height("#hex"))) <= 2, true);
  // Both trees show only differences until all rows are requested.
  const same = (tree) => tree.getByRole("treeitem", { name: /^ELF header/ }).count();
  assert.equal(await firstTree(page).getByRole("treeitem", { name: /\.spv/ }).count(), 0);
  await page.locator("#pane-tree").getByText("Show", { exact: true }).click();
  await page.locator("#pane-tree").getByRole("checkbox", { name: "Rows that are equal in both files" }).click();
  for (const tree of [firstTree(page), secondTree(page)]) {
    // The selection stays in view.
    await tree.getByRole("treeitem", { name: /^user_attributes/ }).first().waitFor();
    await eventually(() => selectionIsInView(tree), true);
    await tree.evaluate((tree) => { tree.scrollTop = 0; });
    await tree.getByRole("treeitem", { name: /\.spv/ }).waitFor();
  }
  assert.equal(await same(firstTree(page)), 1);
  assert.ok((await firstTree(page).getByRole("img", { name: "differs" }).count()) > 0, "a sign at what differs");
  await axe(page);
  await screenshot(page, "compare-sides-all");
});

journey("side by side: a selection in one file selects the counterpart in the other", { width: 1440, height: 900 }, async (page) => {
  await both(page);
  await rows(change(page)).first().waitFor();
  await page.keyboard.press("s");
  await page.locator("#pane-tree").getByText("Show", { exact: true }).click();
  await page.locator("#pane-tree").getByRole("checkbox", { name: "Rows that are equal in both files" }).click();
  await page.keyboard.press("Escape");
  await firstTree(page).getByRole("treeitem", { name: /\.ze_info/ }).click();
  await isSelected(firstTree(page), ".ze_info");
  await isSelected(secondTree(page), ".ze_info");
  await secondTree(page).getByRole("treeitem", { name: /\.symtab/ }).click();
  await isSelected(secondTree(page), ".symtab");
  await isSelected(firstTree(page), ".symtab");
  // By keyboard. Each tree has its own open branches.
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await eventually(async () => (await selectedIn(firstTree(page))) === (await selectedIn(secondTree(page))) && (await selectedIn(secondTree(page))) !== ".symtab", true);
  // A byte of the first file.
  const first = page.getByRole("grid", { name: "Bytes of before.zebin" });
  await first.focus();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Enter");
  await isSelected(secondTree(page), "EI_MAG");
  await differences(page).focus();
  await page.keyboard.press("s");
  await firstTree(page).waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "Inspector" }).waitFor();
});

journey("side by side: a click counts while the other file's selection is followed", { width: 1440, height: 900, slowDecoder: 400 }, async (page) => {
  await both(page);
  await rows(change(page)).first().waitFor();
  await page.keyboard.press("s");
  await page.locator("#pane-tree").getByText("Show", { exact: true }).click();
  await page.locator("#pane-tree").getByRole("checkbox", { name: "Rows that are equal in both files" }).click();
  await page.keyboard.press("Escape");
  await secondTree(page).getByRole("treeitem", { name: /\.symtab/ }).waitFor();
  await firstTree(page).getByRole("treeitem", { name: /\.ze_info/ }).click();
  // The decoder of the second file is asked now where this row is there.
  await isSelected(firstTree(page), ".ze_info");
  await secondTree(page).getByRole("treeitem", { name: /\.symtab/ }).click();
  await isSelected(secondTree(page), ".symtab");
  await isSelected(firstTree(page), ".symtab");
});

journey("side by side is remembered and ends when the first file is closed", { width: 1280, storage: { "zeview.sides": "show" } }, async (page) => {
  await both(page);
  await firstTree(page).getByRole("treeitem", { name: /ELF header/ }).waitFor();
  await tab(page, "before.zebin").locator(".close").click();
  await firstTree(page).waitFor({ state: "detached" });
  await said(page).waitFor();
  assert.equal(await page.getByRole("button", { name: "Side by side" }).count(), 0);
});

/** Two files that differ only in the register count of the kernel "spill". */
const [small, large] = ["128", "256"].map((count) => {
  const text = Buffer.from(spill).toString("latin1");
  const at = text.indexOf("grf_count:", text.indexOf("- name:            spill"));
  const number = text.slice(at).match(/\d+/);
  return Buffer.from(text.slice(0, at + number.index) + count + text.slice(at + number.index + 3), "latin1");
});
const alike = (page) => dropBytes(page, { "before.zebin": small, "after.zebin": large });
const kernel = (tree, name) => tree.getByRole("treeitem", { name: new RegExp(`^${name} .*SIMD`) });
const showSame = async (page) => {
  await page.locator("#pane-tree").getByText("Show", { exact: true }).click();
  await page.locator("#pane-tree").getByRole("checkbox", { name: "Rows that are equal in both files" }).click();
  await page.keyboard.press("Escape");
};

journey("side by side, by kernel: only kernels with differences", {
  width: 1440, height: 900, storage: { "zeview.sides": "show", "zeview.order": "kernels" },
}, async (page) => {
  await alike(page);
  for (const tree of [firstTree(page), secondTree(page)]) {
    await kernel(tree, "spill").waitFor();
    await tree.getByRole("treeitem", { name: /^rest of the file/ }).waitFor();
    await eventually(() => kernel(tree, "bigprivate").count(), 0);
  }
  await showSame(page);
  const sign = (row) => row.getByRole("img", { name: "differs" }).count();
  for (const tree of [firstTree(page), secondTree(page)]) {
    await kernel(tree, "bigprivate").waitFor();
    await eventually(() => sign(kernel(tree, "spill")), 1);
    assert.equal(await sign(kernel(tree, "bigprivate")), 0);
  }
  await screenshot(page, "compare-sides-by-kernel");
});

journey("side by side: byte actions apply to the file of the pane", {
  width: 1600, height: 1000, storage: { "zeview.sides": "show" },
}, async (page) => {
  await page.evaluate(() => {
    globalThis.copied = [];
    const writeText = async (text) => { globalThis.copied.push(text); };
    Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
  });
  const copied = (count) => eventually(() => page.evaluate(() => globalThis.copied.length), count).then(() => page.evaluate(() => globalThis.copied.at(-1)));
  await alike(page);
  await rows(change(page)).filter({ hasText: "grf_count" }).first().click();
  await isSelected(firstTree(page), "grf_count");
  await isSelected(secondTree(page), "grf_count");
  const [first, second] = [page.getByRole("grid", { name: "Bytes of before.zebin" }), page.getByRole("grid", { name: "Bytes", exact: true })];
  // With the pointer and with the keyboard.
  const region = page.getByRole("region", { name: "Bytes" });
  await region.getByText("Copy as", { exact: true }).first().click();
  await region.getByRole("button", { name: "Copy as text" }).first().click();
  assert.equal(await copied(1), "128");
  await axe(page);
  for (const [grid, expected, count] of [[first, "128", 2], [second, "256", 3]]) {
    await grid.focus();
    await page.keyboard.press("ContextMenu");
    await screenshot(page, `compare-copy-${expected}`);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.equal(await copied(count), expected);
  }
  // A bookmark of the first file.
  const bookmarks = (tree) => tree.getByRole("img", { name: "bookmarked" }).count();
  await first.focus();
  await page.keyboard.press(";");
  await eventually(() => bookmarks(firstTree(page)), 1);
  assert.equal(await bookmarks(secondTree(page)), 0);
  await page.keyboard.press(";");
  await page.getByRole("dialog").getByRole("button", { name: "Delete bookmark" }).click();
  await eventually(() => bookmarks(firstTree(page)), 0);
  // The breadcrumbs select an ancestor in its file, and the other file follows.
  await page.getByRole("navigation", { name: "Path of the selection in before.zebin" }).getByRole("button", { name: "execution_env" }).click();
  await isSelected(firstTree(page), "execution_env");
  await isSelected(secondTree(page), "execution_env");
  // An offset in the first file.
  await showSame(page);
  await first.focus();
  await page.keyboard.press("g");
  await page.getByRole("dialog", { name: "Go to a location in before.zebin" }).waitFor();
  await page.keyboard.type("0x12");
  await page.keyboard.press("Enter");
  await isSelected(firstTree(page), "e_machine");
  await isSelected(secondTree(page), "e_machine");
});

journey("changing how instructions are compared keeps the selected difference", { width: 1440, height: 900 }, async (page) => {
  await both(page);
  await rows(differences(page)).nth(2).click();
  const chosen = () => differences(page).locator("[aria-selected=true]").first().innerText();
  await eventually(chosen, /^hugeprivate/);
  const toggle = page.getByRole("button", { name: "Ignore register renaming" });
  for (const pressed of ["true", "false"]) {
    await toggle.click();
    await eventually(() => toggle.getAttribute("aria-pressed"), pressed);
    await page.locator(".compare-head").getByText("Comparing …").waitFor({ state: "detached" });
    await eventually(chosen, /^hugeprivate/);
    await page.getByRole("region", { name: "Selected difference" }).getByText("hugeprivate", { exact: true }).first().waitFor();
  }
});

journey("side by side: showing all rows is remembered", { width: 1280, height: 900, storage: { "zeview.sides": "show" } }, async (page) => {
  const spirv = firstTree(page).getByRole("treeitem", { name: /\.spv/ });
  await both(page);
  await firstTree(page).getByRole("treeitem", { name: /ELF header/ }).waitFor();
  assert.equal(await spirv.count(), 0);
  await showSame(page);
  await spirv.waitFor();
  await load(page, () => page.reload());
  await both(page);
  await spirv.waitFor();
  await showSame(page);
  await eventually(() => spirv.count(), 0);
  await load(page, () => page.reload());
  await both(page);
  await firstTree(page).getByRole("treeitem", { name: /ELF header/ }).waitFor();
  await eventually(() => spirv.count(), 0);
});

for (const [width, bytes] of [[900, 8], [1000, 8], [1280, 16], [1600, 16], [2300, 32]]) {
  for (const theme of width === 1000 || width === 1600 ? ["light", "dark"] : ["light"]) {
    journey(`side by side, ${width} px, ${theme}: byte rows are not cut off`, {
      width, height: 900, theme, storage: { "zeview.sides": "show" },
    }, async (page) => {
      await both(page);
      await rows(change(page)).first().waitFor();
      // The panes of the second file move the rows.
      await page.getByRole("grid", { name: "Bytes of before.zebin" }).waitFor();
      await rows(differences(page)).nth(1).click();
      await isSelected(firstTree(page), "bigprivate");
      await isSelected(secondTree(page), "bigprivate");
      const last = (grid) => grid.locator("[data-line] .t").first();
      for (const grid of [page.getByRole("grid", { name: "Bytes of before.zebin" }), page.getByRole("grid", { name: "Bytes", exact: true })]) {
        await eventually(() => last(grid).textContent().then((text) => text.length), bytes);
        const [pane, text] = [await grid.boundingBox(), await last(grid).boundingBox()];
        assert.ok(text.x + text.width <= pane.x + pane.width, `${text.x} + ${text.width} in ${pane.x} + ${pane.width}`);
      }
      await axe(page);
      await screenshot(page, `compare-sides-${width}-${theme}`);
    });
  }
}

journey("side by side: a difference that is selected before the other file is open", {
  width: 1600, height: 1000, storage: { "zeview.sides": "show" },
  // Each further decoder is slow.
  before: (page) => page.addInitScript(() => {
    let count = 0;
    globalThis.Worker = class extends Worker {
      delay = count++ * 1000;
      postMessage(...message) {
        setTimeout(() => super.postMessage(...message), this.delay);
      }
    };
  }),
}, async (page) => {
  await alike(page);
  await rows(change(page)).filter({ hasText: "grf_count" }).first().click();
  assert.equal(await firstTree(page).count(), 0);
  await isSelected(firstTree(page), "grf_count");
  await isSelected(secondTree(page), "grf_count");
});

journey("side by side: a file follows the other one's selection once it is open", {
  width: 1600, height: 1000, storage: { "zeview.sides": "show" },
  address: "?a=samples%2Fvecadd-O0.bmg.zebin&b=samples%2Fvecadd.bmg.zebin#panel=compare&k=vecadd",
  before: (page) => expectRequests(page, /samples\/vecadd(-O0)?\.bmg\.zebin$/),
}, async (page) => {
  await isSelected(page.getByRole("tree", { name: "Structure of vecadd-O0.bmg.zebin" }), "vecadd");
  await isSelected(secondTree(page), "vecadd");
});

journey("side by side: differences in decompressed files", {
  width: 1600, height: 1000, storage: { "zeview.sides": "show" },
}, async (page) => {
  const vecadd = await sample("vecadd.bmg.zebin");
  const archive = (changed) => zip({ "a.zebin": vecadd, "b.zip": zip({ "spill.zebin": changed }) });
  await dropBytes(page, { "before.zip": archive(small), "after.zip": archive(large) });
  const trees = [page.getByRole("tree", { name: "Structure of before.zip" }), secondTree(page)];
  const bytes = [page.getByRole("grid", { name: "Bytes of before.zip" }), page.getByRole("grid", { name: "Bytes", exact: true })];
  await rows(change(page)).filter({ hasText: "grf_count" }).first().click();
  for (const [index, tree] of trees.entries()) {
    await isSelected(tree, "grf_count");
    await tree.getByRole("treeitem", { name: /^b\.zip/ }).waitFor();
    assert.equal(await tree.getByRole("treeitem", { name: /^a\.zebin/ }).count(), 0);
    // Equal rows above it disappear when the decoder of the first file has unpacked the source.
    await eventually(() => selectionIsInView(tree), true);
    await bytes[index].getByText(index === 0 ? "128" : "256").first().waitFor();
  }
  await showSame(page);
  for (const tree of trees) {
    const item = (name) => tree.getByRole("treeitem", { name }).first();
    const sign = (name) => item(name).getByRole("img", { name: "differs" }).count();
    await item(/^simd_size/).waitFor();
    await eventually(() => sign(/^grf_count/), 1);
    assert.equal(await sign(/^simd_size/), 0);
    await tree.evaluate((tree) => { tree.scrollTop = 0; });
    await item(/^a\.zebin/).waitFor();
    await eventually(() => sign(/^b\.zip/), 1);
    await eventually(() => sign(/^a\.zebin/), 0);
  }
  await axe(page);
  await screenshot(page, "compare-sides-decompressed");
  // The place in the first file, in front.
  await page.getByRole("button", { name: "Side by side" }).click();
  await change(page).locator("[data-command^='show-in-base']").first().waitFor();
  await rows(change(page)).filter({ hasText: "grf_count" }).first().click();
  await page.keyboard.press("Enter");
  await eventually(() => tab(page, "before.zip").getAttribute("aria-selected"), "true");
  await isSelected(secondTree(page), "grf_count");
});

journey("comparison in a narrow window", { width: 420, height: 900 }, async (page) => {
  await both(page);
  await said(page).waitFor();
  await rows(differences(page)).first().waitFor();
  await axe(page);
});

journey("the report of a file is saved", async (page) => {
  await dropBytes(page, { "kernel.zebin": spill });
  await choose(panelTab(page, "Overview"));
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save report" }).click(),
  ]);
  assert.equal(download.suggestedFilename(), "kernel.zebin-report.html");
  const text = await readFile(await download.path(), "utf8");
  assert.match(text, /<h1>kernel\.zebin<\/h1>/);
  assert.match(text, /Kernels \(3\)/);
  assert.doesNotMatch(text, /<script/);
});
