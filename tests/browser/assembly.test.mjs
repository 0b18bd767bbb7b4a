// The assembly of a kernel.

import assert from "node:assert/strict";
import path from "node:path";
import { axe, choose, dropFile, eventually, fixture, journey, screenshot, showAllPanes, showCodeStart } from "./harness.mjs";

showAllPanes();

const SPILL = path.join(import.meta.dirname, "../../www/samples/spill.dg2.zebin");
const LINES = fixture("zebin/debugme.tgllp.igc1.12504.zebin");
const CALLS = fixture("zebin/funcs-stackcall.cri.igc2.40.zebin");

const grid = (page) => page.getByRole("grid", { name: "Assembly" });
const rows = (page) => grid(page).getByRole("row");
const strip = (page) => page.getByRole("region", { name: "Selected instruction" });
const treeRow = (page) => page.locator("[role=treeitem][aria-selected=true]");
const filter = (page) => page.getByRole("searchbox", { name: "Filter instructions" });
const code = (page) => page.getByRole("combobox", { name: "Code" });
// Digits without a prefix; a letter for spills follows.
const offsetOf = async (row) => `0x${/[0-9a-f]+/.exec(await row.locator(".at").innerText())[0]}`;

async function open(page, file) {
  await dropFile(page, file);
  await choose(page.getByRole("tab", { name: "Assembly", exact: true }));
  await rows(page).nth(1).waitFor();
}

for (const [theme, width] of [["light", 1440], ["dark", 1440], ["light", 700], ["dark", 700]]) {
  journey(`assembly of a kernel, ${theme}, ${width} px`, { theme, width, height: 900 }, async (page) => {
    await open(page, SPILL);
    await code(page).selectOption({ label: "spill" });
    await page.getByText(/\d+ spills/).waitFor();
    // Spills have a letter, their options are in a column of their own, and the bytes in scratch memory are named.
    const spill = rows(page).filter({ has: page.locator(".S") }).first();
    await spill.locator(".message").getByText(/^spill /).waitFor();
    assert.match(await spill.locator(".swsb").innerText(), /^\{[^{}]+\}$/);
    assert.doesNotMatch(await spill.locator(".asm").innerText(), /[{}]/);
    assert.equal(await spill.evaluate((row) => row.offsetHeight), 16);
    await rows(page).nth(4).getByRole("gridcell").first().click();
    await strip(page).getByText("Operands and bits").click();
    await strip(page).getByRole("list", { name: "Parts of the instruction" }).waitFor();
    await axe(page);
    await screenshot(page, `assembly-${theme}-${width}`);
  });
}

journey("a count filters the instructions; selected rows are copied as assembly", { width: 1440, height: 900 }, async (page) => {
  await page.evaluate(() => {
    const writeText = async (text) => void (window.copied = text);
    Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
  });
  await open(page, SPILL);
  await code(page).selectOption({ label: "spill" });
  await page.getByRole("group", { name: "Figures" }).getByRole("button", { name: /spills/ }).click();
  const spills = page.getByRole("button", { name: /^\d+ spills$/ });
  const count = parseInt(await spills.innerText(), 10);
  await spills.click();
  await eventually(() => filter(page).inputValue(), "marks=spill");
  await page.getByText(new RegExp(`^${count} of [\\d\u00a0]+ rows|^${count} of [\\d\u00a0]+ instructions`)).waitFor();
  await spills.click();
  await eventually(() => filter(page).inputValue(), "");

  await rows(page).nth(4).getByRole("gridcell").first().click();
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Control+c");
  await eventually(() => page.evaluate(() => window.copied), /^(L0:\n)?[^\t\n]+\n[^\t\n]+\n$/);
});

journey("a kernel compiled with -g shows source lines next to its instructions", { width: 1440, height: 900 }, async (page) => {
  await open(page, LINES);
  // It opens at the loop of a function that the kernel calls.
  await rows(page).filter({ hasText: "debugme.cl:3" }).first().waitFor();
  await page.getByRole("grid", { name: "Assembly" }).press("Control+Home");
  await rows(page).filter({ hasText: "debugme.cl:5" }).first().waitFor();
  await dropFile(page, fixture("src/debugme.cl"));
  await rows(page).filter({ hasText: "get_global_id(0);" }).first().waitFor();
  // The panel stays.
  await page.getByRole("tab", { name: "Assembly", exact: true, selected: true }).waitFor();
  await axe(page);
  await screenshot(page, "assembly-source");
  await filter(page).fill("function=energy");
  // The first row has the titles.
  await eventually(() => rows(page).count(), 1 + 4);
  await rows(page).nth(1).getByRole("gridcell").first().click();
  const chain = strip(page).getByRole("list", { name: "Functions of the instruction, the innermost first" });
  await chain.getByRole("listitem").filter({ hasText: "energy" }).waitFor();
  await chain.getByRole("listitem").filter({ hasText: "inlined at" }).filter({ hasText: "debugme.cl:9" }).filter({ hasText: "step" }).waitFor();
});

journey("a call shows the symbol that the driver patches in", { width: 1440, height: 900 }, async (page) => {
  await open(page, CALLS);
  await code(page).selectOption({ label: "k1" });
  await filter(page).fill("symbol=mid");
  // The lower and the upper half of its address.
  await eventually(() => rows(page).count(), 3);
  await rows(page).filter({ hasText: "mid" }).first().getByRole("gridcell").first().click();
  await strip(page).getByText("relocation", { exact: true }).first().waitFor();
  await screenshot(page, "assembly-calls");
});

journey("tree, bytes and instructions follow the selection; a link selects an instruction", { width: 1440, height: 900 }, async (page) => {
  await open(page, SPILL);
  await code(page).selectOption({ label: "spill" });
  await eventually(() => code(page).evaluate((select) => select.selectedOptions[0].textContent), "spill");
  await page.getByText(/^1.403 instructions/).waitFor();
  await showCodeStart(page);
  await rows(page).nth(4).getByRole("gridcell").first().click();
  const offset = await offsetOf(rows(page).nth(4));
  await treeRow(page).getByText(`+${offset}`).waitFor();
  await eventually(() => page.evaluate(() => location.hash), `#k=spill&pc=${offset}&panel=assembly`);
  await page.keyboard.press("ArrowDown");
  await eventually(async () => (await page.evaluate(() => location.hash)) !== `#k=spill&pc=${offset}&panel=assembly`, true);
  await page.evaluate(() => { location.hash = "#k=hugeprivate&pc=0x20&panel=assembly"; });
  await eventually(() => code(page).evaluate((select) => select.selectedOptions[0].textContent), "hugeprivate");
  await treeRow(page).getByText("+0x20").waitFor();
  await eventually(() => grid(page).locator("[aria-selected=true]").count(), 1);
});

journey("choosing an encoding, filtering, following jumps", { width: 1440, height: 900 }, async (page) => {
  await open(page, SPILL);
  await code(page).selectOption({ label: "hugeprivate" });
  await eventually(() => page.evaluate(() => location.hash.includes("hugeprivate")), true);
  await filter(page).fill("marks=EOT");
  await eventually(() => rows(page).count(), 2);
  await rows(page).filter({ hasText: "end of thread" }).first().waitFor();
  await filter(page).fill("kind=control");
  const link = grid(page).getByRole("button", { name: /^[0-9a-f]+$/ }).first();
  await link.waitFor();
  const label = await link.innerText();
  await link.click();
  await filter(page).fill("");
  await treeRow(page).getByText(`+0x${label}`).waitFor();
  await page.getByRole("combobox", { name: "Encoding" }).selectOption("gen9");
  await page.getByText(/illegal words?/).first().waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
});

const graph = (page) => page.getByRole("group", { name: "Control-flow graph" });
const blocks = (page) => graph(page).getByRole("button");
const marked = (page) => graph(page).locator("[aria-pressed=true]");

async function showGraph(page) {
  await page.getByRole("group", { name: "View" }).getByRole("button", { name: "Graph" }).click();
  await blocks(page).first().waitFor();
}

for (const [theme, width] of [["light", 1440], ["dark", 1440], ["light", 700], ["dark", 700]]) {
  journey(`control-flow graph of a kernel, ${theme}, ${width} px`, { theme, width, height: 900 }, async (page) => {
    await open(page, SPILL);
    await code(page).selectOption({ label: "hugeprivate" });
    await eventually(() => code(page).evaluate((select) => select.selectedOptions[0].textContent), "hugeprivate");
    await showGraph(page);
    await page.getByText(/\d+ basic blocks, \d+ edges/).waitFor();
    await blocks(page).nth(1).click();
    await eventually(() => marked(page).count(), 1);
    await axe(page);
    await screenshot(page, `blocks-${theme}-${width}`);
  });
}

journey("a block selects its instructions, and an instruction its block", { width: 1440, height: 900 }, async (page) => {
  await open(page, SPILL);
  await code(page).selectOption({ label: "hugeprivate" });
  await eventually(() => code(page).evaluate((select) => select.selectedOptions[0].textContent), "hugeprivate");
  await showGraph(page);
  await page.getByText("10 basic blocks, 11 edges, 2 loops").waitFor();
  // By keyboard: move to the next block and select it.
  await blocks(page).first().focus();
  await page.keyboard.press("ArrowDown");
  await eventually(() => page.evaluate(() => document.activeElement.id), "graph-node-1");
  await page.keyboard.press("Enter");
  await eventually(() => marked(page).evaluate((node) => node.id), "graph-node-1");
  const title = await marked(page).locator("title").textContent();
  const [, at, count] = /^([0-9a-f]+) · (\d+) instruction/.exec(title);
  await page.getByRole("button", { name: "Listing", exact: true }).click();
  // Its visible instructions are selected.
  const selected = grid(page).locator("[aria-selected=true]");
  await selected.first().waitFor();
  if (Number(count) < 10) await eventually(() => selected.count(), Number(count));
  assert.equal(Number(await offsetOf(selected.first())), parseInt(at, 16));
  // Another instruction highlights its own block.
  await grid(page).press("Home");
  await rows(page).nth(1).getByRole("gridcell").first().click();
  await showGraph(page);
  await eventually(() => marked(page).evaluate((node) => node.id), "graph-node-0");
});

journey("an operand selects its bits and its field", { width: 1440, height: 900 }, async (page) => {
  await open(page, SPILL);
  const row = rows(page).filter({ has: page.locator("b", { hasText: /^mov$/ }) }).first();
  // After mask, operation and execution size.
  const operand = row.locator(".part", { hasText: /^r\d+\.\d+<1>/ }).first();
  await operand.click({ modifiers: ["Alt"] });
  await treeRow(page).getByText(/DstRegNum|Dst/).waitFor();
  const filled = () => page.locator("#hex .h .fs").allTextContents();
  await eventually(async () => (await filled()).join(" ").trim().split(/\s+/).length, (count) => count > 0 && count < 8);
  // The same from the list of parts, for another operand.
  const before = (await filled()).join(" ");
  await strip(page).getByText("Operands and bits").click();
  await strip(page).getByRole("list", { name: "Parts of the instruction" }).getByRole("listitem").filter({ hasText: "source 0" }).getByRole("button").click();
  await eventually(async () => (await filled()).join(" "), (now) => now !== before);
  await treeRow(page).getByText(/Src0|Imm/).waitFor();
});

journey("clearing a filter scrolls to the selected row", { width: 1440, height: 900 }, async (page) => {
  await open(page, SPILL);
  await filter(page).fill("marks=EOT");
  await eventually(() => rows(page).count(), 2);
  const cell = rows(page).nth(1).getByRole("gridcell").first();
  const offset = await offsetOf(rows(page).nth(1));
  await cell.click();
  await grid(page).locator("[aria-selected=true]").waitFor();
  await filter(page).fill("");
  await eventually(() => rows(page).count(), (count) => count > 10);
  const selected = grid(page).locator("[aria-selected=true]");
  await selected.waitFor();
  assert.equal(await offsetOf(selected), offset);
  await eventually(() => selected.evaluate((row) => {
    const [own, around] = [row.getBoundingClientRect(), row.closest("[role=grid]").getBoundingClientRect()];
    return own.top >= around.top && own.bottom <= around.bottom;
  }), true);
});
