// The kernel table and the page of one kernel.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { axe, choose, dropBytes, dropFile, eventually, expectRequests, journey, screenshot, scrollThrough, showAllPanes } from "./harness.mjs";
import { withKernels } from "./generated.mjs";

showAllPanes();

const SAMPLES = path.join(import.meta.dirname, "../../www/samples");

async function open(page, name, panel = "Kernels") {
  await dropFile(page, path.join(SAMPLES, name));
  await choose(page.getByRole("tab", { name: panel, exact: true }));
  if (panel === "Kernels") await page.getByRole("grid", { name: "Kernels" }).waitFor();
}

const grid = (page) => page.getByRole("grid", { name: "Kernels" });
const rows = (page) => page.locator("#kernels [data-row]");
const names = (page) => page.locator("#kernels [data-row] [data-column='0'] .name-cell").allInnerTexts();
const header = (page, title) => page.locator("#kernels [role=columnheader]", { hasText: title });
const cell = (page, row, title) => page.locator(`#kernels [data-row="${row}"] [role=gridcell]`, { hasText: title });
const kernelPage = (page, name) =>
  page.getByRole("tabpanel", { name: "Arguments" }).getByRole("heading", { name, level: 2, exact: true });
const treeRow = (page) => page.locator("[role=treeitem][aria-selected=true]");

/** The selected bytes as text. */
async function marked(page) {
  const marks = await page.locator("#hex .h .fs").allTextContents();
  const bytes = marks.join(" ").trim().split(/\s+/);
  return Buffer.from(bytes.join(""), "hex").toString("latin1");
}

/** Records copied text; with `refuse`, copying fails. */
async function watchClipboard(page, refuse = false) {
  await page.evaluate((refuse) => {
    globalThis.copied = [];
    const writeText = async (text) => {
      if (refuse) throw new DOMException("not allowed", "NotAllowedError");
      globalThis.copied.push(text);
    };
    Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
  }, refuse);
}

async function saved(page, label) {
  await page.getByText("Export", { exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: label, exact: true }).click(),
  ]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
}

for (const theme of ["light", "dark"]) {
  journey(`the kernel table and a kernel's page, ${theme}`, { theme, width: 1440 }, async (page) => {
    await open(page, "spill.dg2.zebin");
    await eventually(() => names(page), ["bigprivate", "hugeprivate", "spill"]);
    // Not all spill: a bar is below the number.
    await cell(page, 2, "3 328").locator(".under").waitFor();
    await eventually(() => page.locator("#kernels .under").count(), 1);
    await axe(page);
    await cell(page, 2, "3 328").click();
    await treeRow(page).getByText("spill_size").waitFor();
    await page.getByRole("region", { name: "Selected kernel" }).getByText("60 bytes").waitFor();
    await axe(page);
    await screenshot(page, `kernels-${theme}`);
    await choose(page.getByRole("tab", { name: "Arguments" }));
    await page.getByRole("heading", { name: "Execution environment" }).waitFor();
    await axe(page);
    await screenshot(page, `kernel-${theme}`);
  });
}

journey("a header sorts in descending, ascending and file order", async (page) => {
  await open(page, "spill.dg2.zebin");
  const spill = header(page, "B/thread").first();
  await spill.click();
  await page.locator("#kernels [aria-sort=descending]").waitFor();
  await page.waitForFunction(() => document.querySelector("#kernels [data-row='0'] .name-cell")?.innerText === "spill");
  await spill.click();
  await page.locator("#kernels [aria-sort=ascending]").waitFor();
  await page.waitForFunction(() => document.querySelector("#kernels [data-row='2'] .name-cell")?.innerText === "spill");
  await header(page, "SIMD").click();
  await page.waitForFunction(() => document.querySelector("#kernels [data-row='2'] .name-cell")?.innerText === "spill");
  await header(page, "SIMD").click();
  await header(page, "SIMD").click();
  await page.waitForFunction(() => !document.querySelector("#kernels [aria-sort$=scending]"));
  await eventually(() => names(page), ["bigprivate", "hugeprivate", "spill"]);
});

journey("filtering by condition and by name; a malformed filter is explained", async (page) => {
  await open(page, "spill.dg2.zebin");
  const filter = page.getByRole("searchbox", { name: "Filter kernels" });
  await filter.fill("spill_size>0");
  await page.getByText("1 of 3 kernels").waitFor();
  await eventually(() => names(page), ["spill"]);
  await filter.fill("PRIVATE");
  await page.getByText("2 of 3 kernels").waitFor();
  await filter.fill("spill_size>x");
  await page.getByRole("alert").getByText("spill_size requires a number").waitFor();
  await filter.fill("nothing like it");
  await page.getByText("No kernels match the filter.").waitFor();
  await axe(page);
  await filter.fill("");
  await page.getByText("3 kernels", { exact: true }).last().waitFor();
  await rows(page).nth(2).waitFor();
});

journey("visible columns are chosen and remembered", async (page) => {
  await open(page, "spill.dg2.zebin");
  await page.getByText("Columns", { exact: true }).click();
  await axe(page);
  await page.getByRole("checkbox", { name: "Inline data" }).click();
  await header(page, "Inline data").waitFor();
  await page.getByRole("checkbox", { name: "SIMD" }).first().click();
  await page.waitForFunction(() => !document.querySelector("#kernels .grid-head").innerText.includes("SIMD"));
  expectRequests(page, /./);
  await page.reload();
  await open(page, "spill.dg2.zebin");
  await header(page, "Inline data").waitFor();
  await eventually(() => header(page, "SIMD").count(), 0);
  await page.getByText("Columns", { exact: true }).click();
  await page.getByRole("button", { name: "Default columns" }).click();
  await header(page, "SIMD").waitFor();
});

journey("families, and the arguments that tell their kernels apart", { width: 1440, height: 900 }, async (page) => {
  const mangled = ["_ZTSN2ns4GemmIiLi16ELb1EEE", "_ZTSN2ns4GemmIfLi8ELb1EEE", "_ZTSN2ns4GemmIfLi16ELb1EEE", "plain_kernel_of_opencl"];
  const bytes = await readFile(path.join(SAMPLES, "vecadd.bmg.zebin"));
  await dropBytes(page, { "families.zebin": withKernels(bytes, 4, (at) => mangled[at], (at) => 64 * at) });
  await choose(page.getByRole("tab", { name: "Kernels", exact: true }));
  const first = async () => (await names(page)).slice(0, 3);
  await eventually(first, ["Gemm", "Gemm", "Gemm"]);
  // The third argument is the same in all of them.
  const texts = () => page.locator("#kernels .kargs").evaluateAll((all) => all.slice(0, 3).map((one) => one.textContent));
  await eventually(texts, ["int    16", "float  8", "float  16"]);
  await eventually(() => page.locator("#kernels .rep").count(), 2);
  const title = await page.locator("#kernels [data-row='0'] .name-cell").first().getAttribute("title");
  assert.match(title, /ns::Gemm<int, 16, true>/);
  // The name of a kernel without arguments is not cut.
  const last = page.locator("#kernels .whole [data-column='0'] .name-cell").filter({ hasText: "plain_kernel_of_opencl" });
  assert.ok((await last.boundingBox()).width > 120);
  await axe(page);
  await screenshot(page, "kernels-families");
  const filter = page.getByRole("searchbox", { name: "Filter kernels" });
  const spills = page.getByRole("button", { name: "spills 3" });
  await spills.click();
  await eventually(() => filter.inputValue(), "spill_size>0");
  await page.getByText(/^3 of \d kernels/).waitFor();
  await spills.and(page.locator("[aria-pressed=true]")).click();
  await eventually(() => filter.inputValue(), "");
  await filter.fill("family=Gemm arguments=float");
  await page.getByText(/^2 of \d kernels/).waitFor();
});

journey("a cell selects its bytes; bytes select their kernel", async (page) => {
  await open(page, "spill.dg2.zebin");
  await cell(page, 2, "3 328").click();
  await treeRow(page).getByText("spill_size").waitFor();
  await page.locator("#hex .h .fs").first().waitFor();
  await eventually(() => marked(page), "3328");
  await page.waitForFunction(() => location.hash === "#k=spill&f=spill_size&panel=kernels");
  // In reverse: select another kernel in the tree.
  await page.getByRole("treeitem", { name: /hugeprivate/ }).last().click();
  await page.locator("#kernels [data-row='1'][aria-selected=true]").waitFor();
  await page.waitForFunction(() => location.hash === "#k=hugeprivate&panel=kernels");
  await page.goBack();
  await treeRow(page).getByText("spill_size").waitFor();
  await page.locator("#kernels [data-row='2'][aria-selected=true]").waitFor();
});

journey("a link to a kernel's value is followed once the file is open", { address: "#n=spill.dg2.zebin&k=spill&f=spill_size" }, async (page) => {
  await page.getByText("This link points to spill_size of kernel spill. Open “spill.dg2.zebin” to see it.").waitFor();
  await open(page, "spill.dg2.zebin");
  await treeRow(page).getByText("spill_size").waitFor();
  await page.locator("#kernels [data-row='2'][aria-selected=true]").waitFor();
  await page.evaluate(() => { location.hash = "#k=hugeprivate&f=simd_size"; });
  await treeRow(page).getByText("simd_size").waitFor();
  await page.locator("#kernels [data-row='1'][aria-selected=true]").waitFor();
});

journey("keyboard only: sort, select, open, leave", async (page) => {
  await open(page, "spill.dg2.zebin");
  await grid(page).focus();
  const active = (id) => page.waitForFunction((id) => document.activeElement.getAttribute("aria-activedescendant") === id, id);
  await active("kernels-head-0");
  for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowRight");
  await active("kernels-head-4");
  await page.keyboard.press("Enter");
  await page.locator("#kernels:not([aria-busy]) [aria-sort=descending]").waitFor();
  await page.keyboard.press("ArrowDown");
  await page.locator("#kernels [data-row='0'][aria-selected=true]").waitFor();
  await treeRow(page).getByText("spill_size").waitFor();
  await page.keyboard.press("Control+End");
  await page.locator("#kernels [data-row='2'][aria-selected=true]").waitFor();
  await page.keyboard.press("Home");
  await active("kernels-2-0");
  await page.keyboard.press("ArrowUp");
  await page.locator("#kernels [data-row='1'][aria-selected=true]").waitFor();
  const name = await page.locator("#kernels [data-row='1'] .name-cell").first().innerText();
  // Enter opens the kernel's assembly.
  await page.keyboard.press("Enter");
  await page.getByRole("tab", { name: "Assembly", selected: true }).waitFor();
  await eventually(() => page.getByRole("combobox", { name: "Code" }).evaluate((select) => select.selectedOptions[0].textContent), name);
});

journey("the table is copied as TSV and Markdown and saved as CSV and JSON", async (page) => {
  await open(page, "spill.dg2.zebin");
  await watchClipboard(page);
  await page.getByText("Export", { exact: true }).click();
  await axe(page);
  await page.getByRole("button", { name: "Copy as TSV" }).click();
  await page.getByRole("status").getByText("Table copied").waitFor();
  await page.getByText("Export", { exact: true }).click();
  await page.getByRole("button", { name: "Copy as Markdown" }).click();
  await page.waitForFunction(() => globalThis.copied.length === 2);
  const [tabs, markdown] = await page.evaluate(() => globalThis.copied);
  assert.match(tabs, /^Kernel\tFamily\t/);
  assert.match(tabs, /\nspill\tspill\t\t8\t128\t3328\t104\t/);
  assert.match(markdown, /\| spill \|/);
  const csv = await saved(page, "Save as CSV");
  assert.equal(csv.name, "spill.dg2.zebin-kernels.csv");
  assert.match(csv.text, /^name,family,arguments,simd_size,/);
  assert.match(csv.text, /\nspill,spill,,8,128,3328,104,/);
  const json = await saved(page, "Save as JSON");
  assert.deepEqual(JSON.parse(json.text).map((kernel) => [kernel.name, kernel.spill_size]), [
    ["bigprivate", 0],
    ["hugeprivate", 0],
    ["spill", 3328],
  ]);
});

journey("text that the clipboard refuses is shown", async (page) => {
  await open(page, "spill.dg2.zebin");
  await watchClipboard(page, true);
  await page.getByText("Export", { exact: true }).click();
  await page.getByRole("button", { name: "Copy as TSV" }).click();
  const text = page.getByRole("textbox", { name: "Text to copy" });
  assert.match(await text.inputValue(), /bigprivate/);
  await axe(page);
});

journey("a kernel's page links to its bytes and to the next kernel", async (page) => {
  await open(page, "spill.dg2.zebin", "Arguments");
  await kernelPage(page, "bigprivate").waitFor();
  await page.getByRole("button", { name: "Next kernel" }).click();
  await kernelPage(page, "hugeprivate").waitFor();
  await page.getByRole("button", { name: "Next kernel" }).click();
  await kernelPage(page, "spill").waitFor();
  assert.ok(await page.getByRole("button", { name: "Next kernel" }).isDisabled());
  await page.getByRole("button", { name: "spill_size", exact: true }).click();
  await treeRow(page).getByText("spill_size").waitFor();
  await eventually(() => marked(page), "3328");
  // An entry of the ruler.
  await page.locator(".ruler .piece").first().click();
  await treeRow(page).getByText("global_id_offset").waitFor();
  // The code of the same kernel.
  await page.getByRole("button", { name: ".text.spill", exact: true }).click();
  await treeRow(page).getByText(".text.spill").waitFor();
  await kernelPage(page, "spill").waitFor();
  await axe(page);
});

journey("600 kernels: few rows in the DOM; any row can be reached", async (page) => {
  await open(page, "kernels600.dg2.zebin");
  await eventually(() => grid(page).getAttribute("aria-rowcount"), "601");
  assert.ok((await page.locator("#kernels [role=row]").count()) <= 100);
  await grid(page).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Control+End");
  await page.locator("#kernels [data-row='599'][aria-selected=true]").waitFor();
  assert.ok((await page.locator("#kernels [role=row]").count()) <= 100);
  await page.locator("#kernels").evaluate((element) => { element.scrollTop = 21 * 300; });
  await page.locator("#kernels [data-row='305']").waitFor();
  await axe(page);
  await screenshot(page, "kernels-600");
});

journey("60 000 kernels: few rows in the DOM at any scroll position", async (page) => {
  const bytes = await readFile(path.join(SAMPLES, "vecadd.bmg.zebin"));
  // The SPIR-V in it has one more.
  await dropBytes(page, { "many.zebin": withKernels(bytes, 60_000) });
  await choose(page.getByRole("tab", { name: "Kernels", exact: true }));
  await page.locator("#kernels [data-row='0']").waitFor();
  await eventually(() => grid(page).getAttribute("aria-rowcount"), "60002");
  await scrollThrough(page, "kernels", 60_000);
});

journey("kernels of a damaged file", async (page) => {
  await open(page, "damaged.zebin");
  await eventually(() => names(page), ["vecsub"]);
  await rows(page).first().click();
  await page.getByRole("button", { name: "Arguments", exact: true }).click();
  await kernelPage(page, "vecsub").waitFor();
  await axe(page);
  await screenshot(page, "kernel-damaged");
});

for (const [width, height] of [
  [700, 900],
  [360, 740],
]) {
  journey(`the kernel table, ${width} px`, { width, height }, async (page) => {
    await open(page, "spill.dg2.zebin");
    await rows(page).last().click();
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    assert.equal(await wide(), false, "the page scrolls sideways");
    await axe(page);
    await screenshot(page, `kernels-${width}`);
    await choose(page.getByRole("tab", { name: "Arguments" }));
    await kernelPage(page, "spill").waitFor();
    assert.equal(await wide(), false, "the page scrolls sideways");
    await axe(page);
    await screenshot(page, `kernel-${width}`);
  });
}
