// Relocations, symbols, and readable text.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { axe, choose, dropBytes, dropFile, eventually, fixture, journey, screenshot, scrollThrough, showAllPanes } from "./harness.mjs";
import { withRelocations } from "./generated.mjs";

showAllPanes();

const SAMPLES = path.join(import.meta.dirname, "../../www/samples");
const FUNCTIONS = fixture("zebin/funcs-stackcall.cri.igc2.40.zebin");
const SPILL = path.join(SAMPLES, "spill.dg2.zebin");

async function open(page, file, panel) {
  await dropFile(page, file);
  await show(page, panel);
}

async function show(page, panel) {
  await choose(page.getByRole("tab", { name: panel, exact: true }));
}

const row = (page, list, number) => page.locator(`#${list} [data-row="${number}"]`);
const cells = (page, list, number) => row(page, list, number).getByRole("gridcell");
const selected = (page, list) => page.locator(`#${list} [aria-selected=true]`);
const treeRow = (page) => page.locator("[role=treeitem][aria-selected=true]");
const header = (page, list, title) => page.locator(`#${list} [role=columnheader]`, { hasText: title });
const strip = (page, one) => page.getByRole("region", { name: `Selected ${one}` });

/** The selected bytes in hexadecimal. */
async function marked(page) {
  const marks = await page.locator("#hex .h .fs").allTextContents();
  return marks.join(" ").trim().split(/\s+/).join("");
}

async function watchClipboard(page) {
  await page.evaluate(() => {
    globalThis.copied = [];
    const writeText = async (text) => { globalThis.copied.push(text); };
    Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
  });
}

const copied = async (page, count) => {
  await page.waitForFunction((count) => globalThis.copied.length === count, count);
  return page.evaluate(() => globalThis.copied.at(-1));
};

async function fits(page) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.equal(wide, false, "the page scrolls sideways");
}

for (const theme of ["light", "dark"]) {
  journey(`relocations, symbols and text, ${theme}`, { theme, width: 1440, height: 900 }, async (page) => {
    await open(page, FUNCTIONS, "Relocations");
    await row(page, "relocations", 0).waitFor();
    await axe(page);
    await cells(page, "relocations", 1).first().click();
    await strip(page, "relocation").waitFor();
    await axe(page);
    await screenshot(page, `relocations-${theme}`);
    await show(page, "Symbols");
    await cells(page, "symbols", 1).first().click();
    await strip(page, "symbol").waitFor();
    await axe(page);
    await screenshot(page, `symbols-${theme}`);
    await show(page, "Text");
    await row(page, "lines", 4).waitFor();
    await row(page, "lines", 4).click();
    await selected(page, "lines").first().waitFor();
    await axe(page);
    await screenshot(page, `text-${theme}`);
  });
}

journey("a relocation links to its entry, bytes and symbol, and back", async (page) => {
  await open(page, FUNCTIONS, "Relocations");
  await cells(page, "relocations", 2).first().click();
  await treeRow(page).getByText("[2]").or(treeRow(page)).first().waitFor();
  await page.waitForFunction(() => location.hash.includes(".rel.text.k1/[2]"));
  await selected(page, "relocations").waitFor();
  // The patched bytes in the cell equal the selected bytes below.
  const bytes = (await cells(page, "relocations", 2).nth(6).innerText()).replaceAll(" ", "");
  await cells(page, "relocations", 2).nth(6).click();
  await page.waitForFunction(() => !location.hash.includes(".rel.text"));
  await page.locator("#hex .h .fs").first().waitFor();
  await eventually(() => marked(page), bytes);
  // The row does not change.
  await eventually(() => selected(page, "relocations").getAttribute("data-row"), "2");
  // To its symbol, which lists its references.
  await strip(page, "relocation").locator("li", { hasText: "symbol" }).getByRole("button").click();
  await page.waitForFunction(() => location.hash.includes(".symtab/"));
  await show(page, "Symbols");
  const users = strip(page, "symbol").getByRole("button", { name: /^\d+ relocations?$/ });
  const count = parseInt(await users.innerText(), 10);
  assert.ok(count > 0);
  await users.click();
  await page.getByRole("status").getByText(new RegExp(`^${count} of \\d+ relocations$`)).waitFor();
  await eventually(() => page.locator("#relocations [data-row]").count(), count);
  await eventually(() => page.getByRole("searchbox", { name: "Filter relocations" }).inputValue(), /^symbol="/);
});

journey("selections in the tree and the bytes select the row", async (page) => {
  await open(page, FUNCTIONS, "Symbols");
  await row(page, "symbols", 0).waitFor();
  await page.getByRole("treeitem", { name: /^\.text\.k2/ }).click();
  await selected(page, "symbols").getByText("k2").first().waitFor();
  await show(page, "Relocations");
  await row(page, "relocations", 0).waitFor();
  await page.evaluate(() => { location.hash = "#p=.rel.text.k1/[3]"; });
  await page.locator("#relocations [data-row='3'][aria-selected=true]").waitFor();
});

journey("a list sorts and filters; a malformed filter is explained", async (page) => {
  await open(page, FUNCTIONS, "Symbols");
  await header(page, "symbols", "Size").click();
  await page.locator("#symbols [aria-sort=descending]").waitFor();
  const sizes = async () => {
    const texts = await page.locator("#symbols [data-row] [data-column='4']").allInnerTexts();
    return texts.map((text) => Number(text.replaceAll(/\s/g, "")));
  };
  await page.waitForFunction(() => document.querySelector("#symbols [data-row='0'] [data-column='4']")?.innerText !== "0");
  await eventually(sizes, (seen) => seen.length > 2 && seen.every((size, i) => i === 0 || size <= seen[i - 1]));
  const filter = page.getByRole("searchbox", { name: "Filter symbols" });
  await filter.fill("kernel==k1 size>0");
  await page.getByRole("status").getByText(/^\d+ of \d+ symbols$/).waitFor();
  await filter.fill("size>x");
  await page.getByRole("alert").getByText("size requires a number").waitFor();
  await filter.fill("size>0x7fffffff");
  await page.getByText("No symbols match the filter.").waitFor();
  await axe(page);
  await filter.fill("");
  await page.getByRole("status").getByText(/^\d+ symbols$/).waitFor();
});

journey("a cell is copied; the list is copied as Markdown and saved as CSV", async (page) => {
  await open(page, FUNCTIONS, "Symbols");
  await watchClipboard(page);
  await cells(page, "symbols", 0).first().click();
  await selected(page, "symbols").waitFor();
  await page.keyboard.press("Control+c");
  assert.equal(await copied(page, 1), await cells(page, "symbols", 0).first().innerText());
  await page.getByText("Export", { exact: true }).click();
  await axe(page);
  await page.getByRole("button", { name: "Copy as Markdown" }).click();
  assert.match(await copied(page, 2), /^\| Symbol \| Kind \|/);
  await page.getByText("Export", { exact: true }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save as CSV" }).click(),
  ]);
  assert.match(download.suggestedFilename(), /-symbols\.csv$/);
  const csv = await readFile(await download.path(), "utf8");
  assert.match(csv, /^name,type,section,/);
});

journey("the text and the tree follow each other's selection", async (page) => {
  await open(page, SPILL, "Text");
  await row(page, "lines", 0).waitFor();
  // From a line to the node.
  const line = page.locator("#lines [data-row]", { hasText: "simd_size:" }).first();
  const number = await line.getAttribute("data-row");
  await line.click();
  await treeRow(page).getByText("simd_size").waitFor();
  await page.locator(`#lines [data-row='${number}'] mark`).waitFor();
  await eventually(() => page.locator("#lines mark").innerText(), /^\d+$/);
  // The address changes later, as a new history entry.
  await page.waitForFunction(() => location.hash.includes("simd_size"));
  // From a node to its lines.
  await page.evaluate(() => { location.hash = "#k=hugeprivate"; });
  await page.waitForFunction(() => document.querySelectorAll("#lines [aria-selected=true]").length > 5);
  await selected(page, "lines").first().getByText("hugeprivate").waitFor();
  await page.goBack();
  await page.locator(`#lines [data-row='${number}'][aria-selected=true]`).waitFor();
});

/** Opens a text. Returns its search field and a function that waits for a message. */
async function finding(page) {
  await open(page, SPILL, "Text");
  await row(page, "lines", 0).waitFor();
  const field = page.getByRole("searchbox", { name: "Find in this text" });
  const status = (text) => page.getByRole("status").getByText(text, { exact: true }).waitFor();
  return { field, status };
}

journey("find in the text, forward and backward", async (page) => {
  const { field, status } = await finding(page);
  await field.fill("SPILL_size");
  await status("1 of 1");
  await eventually(() => page.locator("#lines mark").innerText(), "spill_size");
  await field.fill("simd_size");
  await status("1 of 3");
  await field.press("Enter");
  await status("2 of 3");
  await field.press("Shift+Enter");
  await status("1 of 3");
  await page.getByRole("button", { name: "Previous match" }).click();
  await status("3 of 3");
  await field.fill("nothing like it");
  await status("not found");
  await axe(page);
});

journey("finding again before the selection arrives continues from the match", { slowDecoder: 300 }, async (page) => {
  const { field, status } = await finding(page);
  await field.fill("simd_size");
  await status("1 of 3");
  await field.press("Enter");
  await status("2 of 3");
  await field.press("Enter");
  await status("3 of 3");
  await field.press("Shift+Enter");
  await status("2 of 3");
});

journey("lines are copied; another text is selected", async (page) => {
  await open(page, fixture("zebin/vecadd-visa.cri.igc2.40.zebin"), "Text");
  await watchClipboard(page);
  await row(page, "lines", 1).click();
  await selected(page, "lines").first().waitFor();
  await page.keyboard.press("Control+c");
  assert.equal(await copied(page, 1), await cells(page, "lines", 1).last().textContent());
  await page.getByRole("combobox", { name: "Text", exact: true }).selectOption({ label: ".visaasm" });
  await page.getByRole("grid", { name: ".visaasm" }).waitFor();
  await treeRow(page).getByText(".visaasm").waitFor();
  await page.locator("#lines [data-row]", { hasText: ".kernel" }).first().waitFor();
  await page.getByText("Export", { exact: true }).click();
  await page.getByRole("button", { name: "Copy all" }).click();
  assert.ok((await copied(page, 2)).length > 1000);
  await screenshot(page, "text-visa");
});

journey("60 000 relocations: few rows in the DOM at any scroll position", async (page) => {
  const bytes = await readFile(FUNCTIONS);
  await dropBytes(page, { "many.zebin": withRelocations(bytes, 60_000) });
  await show(page, "Relocations");
  await row(page, "relocations", 0).waitFor();
  await header(page, "relocations", "Offset").click();
  await page.locator("#relocations [aria-sort=descending]").waitFor();
  await scrollThrough(page, "relocations", 60_000);
  await screenshot(page, "relocations-60000");
});

journey("600 kernels: symbols, relocations and a long text", async (page) => {
  await open(page, path.join(SAMPLES, "kernels600.dg2.zebin"), "Symbols");
  await row(page, "symbols", 0).waitFor();
  assert.ok((await page.locator("#symbols [role=row]").count()) <= 100);
  await screenshot(page, "symbols-600");
  await show(page, "Text");
  await row(page, "lines", 0).waitFor();
  await page.locator("#lines").evaluate((element) => { element.scrollTop = element.scrollHeight; });
  await page.locator("#lines [data-row]", { hasText: "..." }).last().waitFor();
  assert.ok((await page.locator("#lines [role=row]").count()) <= 100);
  await axe(page);
  await screenshot(page, "text-600");
});

journey("lists of a damaged file and empty lists", async (page) => {
  await open(page, path.join(SAMPLES, "damaged.zebin"), "Relocations");
  await page.locator("#relocations [data-row], .calm p").first().waitFor();
  await axe(page);
  await screenshot(page, "relocations-damaged");
  await show(page, "Text");
  await row(page, "lines", 0).waitFor();
  await screenshot(page, "text-damaged");
  await dropBytes(page, { "raw.bin": Buffer.from("plain bytes") });
  await page.getByRole("tab", { name: "raw.bin" }).waitFor();
  await choose(page.getByRole("tab", { name: "Problems" }));
  await eventually(() => page.getByRole("tab", { name: "Symbols" }).count(), 0);
});

for (const [width, height] of [
  [700, 900],
  [360, 740],
]) {
  journey(`lists, ${width} px`, { width, height }, async (page) => {
    await open(page, FUNCTIONS, "Relocations");
    await cells(page, "relocations", 1).first().click();
    await strip(page, "relocation").waitFor();
    await fits(page);
    await axe(page);
    await screenshot(page, `relocations-${width}`);
    await show(page, "Text");
    await row(page, "lines", 4).click();
    await selected(page, "lines").first().waitFor();
    await fits(page);
    await axe(page);
    await screenshot(page, `text-${width}`);
  });
}
