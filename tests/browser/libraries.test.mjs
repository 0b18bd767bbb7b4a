// Files with many images: contents by device, kernels that appear while images are read, and names of
// thousands of characters.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { archive, withKernels } from "./generated.mjs";
import { axe, choose, dropBytes, eventually, journey, keepWorkers, kill, screenshot } from "./harness.mjs";
import { zip } from "./zip.mjs";

const sample = (name) => readFile(path.join(import.meta.dirname, "../../www/samples", name));
const tab = (page, name) => page.getByRole("tab", { name, exact: true });
const panel = (page, name) => page.getByRole("tabpanel", { name });
const rows = (page) => page.locator("#kernels [data-row]");
const cell = (page, row, column) => page.locator(`#kernels [data-row='${row}'] [data-column='${column}']`);
const status = (page) => panel(page, "Kernels").getByRole("status");
const reading = (page) => page.locator(".reading");
const hash = (page) => page.evaluate(() => decodeURIComponent(location.hash));

/** The name of a template instance: thousands of characters, of which a few differ. */
function typeName(tile, dtype, causal) {
  const layouts = "N4cute6LayoutILi1ELi4EEE".repeat(120);
  return `_ZTSN6compat13KernelFunctorIN7cutlass4GemmIN7cutlass4TileILi${tile}EEE${dtype}Lb${causal}E${layouts}EEEE`;
}

const DTYPES = ["f", "d", "i", "s"];

/** An archive with an image per device, each with the same number of kernels; the last kernel spills most. */
async function library(images, kernels, named = typeName) {
  const zebin = await sample("vecadd.bmg.zebin");
  const spill = await sample("spill.dg2.zebin");
  const members = [];
  for (let i = 0; i < images; i++) {
    // Each image is different.
    const name = (k) => named(16 * (k + 1), DTYPES[i % 4], k % 2, i);
    members.push([`64.20.${i}.0`, withKernels(zebin, kernels, name, (k) => 32 * k)]);
  }
  members.push(["64.12.55.8", spill]);
  return archive(members);
}

journey("a wheel with 21 000 kernels in 1 500 images", { width: 1440, height: 900, slowDecoder: 100, before: keepWorkers }, async (page) => {
  const images = 1500;
  const kernels = 14;
  // One file that the browser inflates, and that is too large for one answer.
  const name = (tile, dtype, causal, image) => `_ZTS${`Functor${image}x${tile}${dtype}${causal}`.length}Functor${image}x${tile}${dtype}${causal}`;
  const bytes = zip({ "lib/weights.bin": randomBytes(4 << 20), "lib/kernels.a": await library(images, kernels, name) });
  await dropBytes(page, { "large-1.0-py3-none-any.whl": bytes });
  await choose(tab(page, "Kernels"));
  const kernelPanel = panel(page, "Kernels");
  const rows = page.locator("#kernels [data-row]");
  await rows.first().waitFor();
  // Rows do not move when reading ends.
  await kernelPanel.locator(".reading").waitFor();
  const top = () => page.locator("#kernels").evaluate((grid) => grid.getBoundingClientRect().top);
  const before = await top();
  await kernelPanel.locator(".reading").waitFor({ state: "detached", timeout: 120_000 });
  assert.equal(await top(), before);
  const all = images * kernels + 4;
  await kernelPanel.getByText(new RegExp(`\\b${String(all).replace(/(?=\d{3}$)/, "\\s")} (kernels|builds)`)).first().waitFor();
  assert.ok(await page.evaluate(() => globalThis.inflated > 0), "the browser inflated the file");
  await axe(page);

  // The worst spill, its code, and back: nothing is lost.
  await page.locator("#kernels [role=columnheader]", { hasText: "B/thread" }).first().click();
  await page.locator("#kernels [aria-sort=descending]").waitFor();
  await eventually(() => rows.first().innerText(), (text) => text.includes("dg2") || text.includes("acm"));
  await rows.first().click();
  await page.keyboard.press("Enter");
  await panel(page, "Assembly").locator(".asm").first().waitFor();
  await choose(tab(page, "Kernels"));
  await page.locator("#kernels [aria-sort=descending]").waitFor();

  // A filter by code; then the decoder is killed. Panel, filter and order stay, and it is read again.
  const filter = kernelPanel.getByRole("searchbox");
  await filter.fill("peak_live_registers>0");
  await eventually(() => rows.count(), 3);
  // On a busy machine, reading could end before the journey stops it.
  const delay = (milliseconds) => page.evaluate((milliseconds) => { globalThis.decoderDelay = milliseconds; }, milliseconds);
  await delay(700);
  await kill(page);
  await page.getByRole("status").getByText(/restarted/).waitFor();
  await tab(page, "Kernels").and(page.locator("[aria-selected=true]")).waitFor();
  assert.equal(await filter.inputValue(), "peak_live_registers>0");
  await page.locator("#kernels [aria-sort=descending]").waitFor();

  // Reading stops in the middle, and goes on.
  await kernelPanel.getByRole("button", { name: "Stop", exact: true }).click();
  await kernelPanel.getByText(/stopped at/).waitFor();
  assert.notEqual(await page.evaluate(() => document.activeElement.tagName), "BODY");
  await axe(page);
  await delay(0);
  await kernelPanel.getByRole("button", { name: "Resume" }).click();
  await kernelPanel.locator(".reading").waitFor({ state: "detached", timeout: 120_000 });
  await eventually(() => rows.count(), 3);
});

journey("from the largest spill of 200 images to its assembly", { width: 1440, height: 900 }, async (page) => {
  // 1: the drop.
  await dropBytes(page, { "kernels.ar": await library(200, 20) });
  const overview = panel(page, "Overview");
  await overview.getByRole("heading", { name: "Native code" }).waitFor();
  await reading(page).waitFor({ state: "detached" });
  const device = overview.locator("table.survey tbody tr").filter({ hasText: "bmg-g21" });
  await eventually(() => device.locator("td").nth(2).innerText(), "80");
  await axe(page);
  await screenshot(page, "library-overview");
  // 2: the kernel, 3: its code.
  const worst = overview.getByRole("region", { name: "Kernel families" }).locator("tbody tr").first();
  await worst.getByRole("button", { name: "spill", exact: true }).first().waitFor();
  await worst.locator(".worst-of button").click();
  await choose(tab(page, "Assembly"));
  await panel(page, "Assembly").locator(".asm").first().waitFor();
  await page.getByRole("group", { name: "Figures" }).getByText(/spills/).first().waitFor();
});

journey("kernels appear while images are read; reading can be stopped", { width: 1440, height: 900, slowDecoder: 300 }, async (page) => {
  await dropBytes(page, { "kernels.ar": await library(200, 24, (tile, dtype, causal, image) => typeName(1000 * image + tile, dtype, causal)) });
  await choose(tab(page, "Kernels"));
  await cell(page, 0, 0).waitFor();
  await reading(page).getByText(/read [\d\u202f ]+ of 201 images/).waitFor();
  await axe(page);
  await screenshot(page, "library-reading");
  await reading(page).getByRole("button", { name: "Stop" }).click();
  await reading(page).getByText(/stopped at/).waitFor();
  // The pending request still completes.
  await page.waitForTimeout(800);
  const stopped = await reading(page).innerText();
  await page.waitForTimeout(800);
  assert.equal(await reading(page).innerText(), stopped);
  // The rows so far can be sorted.
  await page.getByRole("columnheader", { name: /Spill/ }).first().click();
  await eventually(() => cell(page, 0, 0).isVisible(), true);
  await reading(page).getByRole("button", { name: "Resume" }).click();
  await reading(page).waitFor({ state: "detached", timeout: 120_000 });
  await eventually(() => cell(page, 0, 0).innerText(), "spill");
});

journey("duplicate images are listed once", async (page) => {
  const zebin = await sample("spill.dg2.zebin");
  await dropBytes(page, { "twice.ar": archive([["64.12.55.8", zebin], ["64.dg2", zebin]]) });
  await panel(page, "Overview").getByText(/more than once/).waitFor();
  await choose(tab(page, "Kernels"));
  await cell(page, 0, 0).waitFor();
  const before = await rows(page).count();
  await page.locator("#kernels [data-row='0'] [role=gridcell]").getByText("×2").waitFor();
  await panel(page, "Kernels").getByRole("button", { name: /copies/ }).click();
  await eventually(() => rows(page).count(), 2 * before);
});

journey("kernels are grouped; a group shows the values that differ", { width: 1440, height: 900 }, async (page) => {
  const zebin = await sample("vecadd.bmg.zebin");
  const one = withKernels(zebin, 6, (k) => `kernel_${k}`, (k) => 64 * k);
  const other = withKernels(zebin, 3, (k) => `kernel_${k}`, (k) => 128 * k);
  await dropBytes(page, { "builds.ar": archive([["64.20.1.0", one], ["64.20.2.0", other]]) });
  await choose(tab(page, "Kernels"));
  // The SPIR-V in both has another kernel. Its builds and those of kernel_0, with equal figures, are one row each.
  await eventually(() => rows(page).count(), 9);
  await page.getByRole("combobox", { name: "Rows" }).selectOption("");
  await eventually(() => rows(page).count(), 11);
  await eventually(() => hash(page), /panel=kernels&group=build/);
  await page.getByRole("combobox", { name: "Rows" }).selectOption("kernel");
  await eventually(() => rows(page).count(), 7);
  const spills = page.locator("#kernels [data-row='1'] [role=gridcell]").filter({ hasText: "64 · 128" });
  await spills.getByText("≠").waitFor();
  await eventually(() => hash(page), /panel=kernels&group=kernel/);
  await axe(page);
  await screenshot(page, "library-groups");
  await page.getByRole("combobox", { name: "Rows" }).selectOption("image");
  await eventually(() => rows(page).count(), 2);
  await page.locator("#kernels-filter").fill("spill_size=320");
  await eventually(() => rows(page).count(), 1);
  await page.getByRole("combobox", { name: "Rows" }).selectOption("");
  await eventually(() => cell(page, 0, 0).innerText(), "kernel_5");
});

journey("search lists kernels first and matches demangled names", async (page) => {
  await dropBytes(page, { "kernels.ar": await library(12, 4) });
  await page.locator("#search").fill("cutlass::Tile<32>");
  const first = page.getByRole("option").first();
  await first.getByText("kernel", { exact: false }).first().waitFor();
  await eventually(() => first.locator("mark").innerText(), "cutlass::Tile<32>");
});

for (const theme of ["light", "dark"]) {
  journey(`names of thousands of characters, ${theme}`, { theme, width: 1440, height: 900 }, async (page) => {
    await dropBytes(page, { "kernels.ar": await library(12, 8) });
    await choose(tab(page, "Kernels"));
    await cell(page, 0, 0).waitFor();
    const names = await page.locator("#kernels [data-column='0'] .unseen, #kernels [data-column='0'] .n:not(.long)").allInnerTexts();
    assert.ok(names.every((name) => name.length <= 80), names[0]);
    await cell(page, 0, 0).click();
    await choose(tab(page, "Arguments"));
    await page.getByRole("heading", { name: "Execution environment" }).waitFor();
    // No element is wider than its pane.
    const wide = await page.evaluate(() => {
      const panes = [...document.querySelectorAll("[role=tabpanel]:not([hidden]) .kernel-head, .insp")];
      return panes.filter((pane) => pane.scrollWidth > pane.clientWidth + 1).map((pane) => pane.className);
    });
    assert.deepEqual(wide, []);
    await axe(page);
    await screenshot(page, `library-names-${theme}`);
  });
}

journey("a pending filter does not undo a later selection", { width: 1440, height: 900 }, async (page) => {
  await dropBytes(page, { "spill.zebin": await sample("spill.dg2.zebin") });
  await choose(tab(page, "Assembly"));
  await panel(page, "Assembly").locator(".asm").first().waitFor();
  await page.locator("#instructions-filter").fill("mov");
  // Before the filter is applied.
  await page.getByRole("combobox", { name: "Encoding" }).selectOption("gen9");
  await page.getByText(/illegal words?/).first().waitFor();
  assert.equal(await page.getByRole("combobox", { name: "Encoding" }).inputValue(), "gen9");
});
