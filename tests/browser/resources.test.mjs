// Occupancy limits of a kernel; the bytes of argument values; source lines.

import assert from "node:assert/strict";
import path from "node:path";
import { axe, choose, dropBytes, dropFile, eventually, fixture, journey, screenshot, showAllPanes } from "./harness.mjs";

showAllPanes();

const SPILL = path.join(import.meta.dirname, "../../www/samples/spill.dg2.zebin");
const LINES = fixture("zebin/debugme.tgllp.igc1.12504.zebin");

async function open(page, file, panel) {
  await dropFile(page, file);
  await choose(page.getByRole("tab", { name: panel, exact: true }));
}

const treeRow = (page) => page.locator("[role=treeitem][aria-selected=true]");
const occupancy = (page) => page.getByRole("region", { name: "Occupancy" });
const said = (page) => occupancy(page).getByRole("status");
const row = (page, number) => page.locator(`#source-lines [data-row="${number}"]`);
const strip = (page) => page.getByRole("region", { name: "Selected row" });

async function type(page, label, text) {
  const field = occupancy(page).getByLabel(label, { exact: true });
  await field.fill(text);
  await field.press("Enter");
}

async function fits(page) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.equal(wide, false, "the page scrolls sideways");
}

for (const [theme, width] of [["light", 1440], ["dark", 1440], ["light", 420]]) {
  journey(`the limits of a kernel, ${theme}, ${width} px`, { theme, width, height: 900 }, async (page) => {
    await open(page, SPILL, "Arguments");
    await said(page).getByText("an EU of acm-g10 runs all its 8 threads").waitFor();
    await said(page).getByText("Choose the work-items of a work-group").waitFor();
    await type(page, "Work-group size", "32x16");
    await said(page).getByText("A sub-slice runs 8 work-groups of 512 at a time, limited by threads").waitFor();
    await occupancy(page).getByText("Numbers and their sources").first().click();
    await occupancy(page).scrollIntoViewIfNeeded();
    await axe(page);
    await fits(page);
    await screenshot(page, `occupancy-${theme}-${width}`);
  });
}

journey("occupancy parameters apply to every kernel; each number links to its bytes", async (page) => {
  await open(page, SPILL, "Arguments");
  await type(page, "Work-group size", "many");
  await occupancy(page).getByRole("alert").getByText("“many” is not a size").waitFor();
  await type(page, "Work-group size", "256");
  await type(page, "EUs per sub-slice", "4");
  await said(page).getByText("4 work-groups of 256").waitFor();
  await page.getByRole("button", { name: "Next kernel" }).click();
  await page.getByRole("tabpanel", { name: "Arguments" }).getByRole("heading", { name: "hugeprivate", level: 2 }).waitFor();
  await said(page).getByText("4 work-groups of 256").waitFor();
  await type(page, "Device", "ptl-h");
  await said(page).getByText("an EU of ptl-h runs 8 of its 10 threads").waitFor();
  await type(page, "Device", "nothing");
  await occupancy(page).getByRole("alert").getByText("no device is called").waitFor();
  await type(page, "Device", "");
  await said(page).getByText("acm-g10").waitFor();
  await occupancy(page).getByText("Numbers and their sources").first().click();
  await occupancy(page).getByRole("button", { name: "Registers of a thread" }).click();
  await treeRow(page).getByText("grf_count").waitFor();
});

journey("a value of an argument selects its bytes and keeps its row highlighted", { width: 1440, height: 900 }, async (page) => {
  await open(page, SPILL, "Arguments");
  const payload = page.getByRole("table", { name: /payload entries/ });
  const entry = payload.locator("tr", { hasText: "arg_bypointer" }).first();
  const offset = entry.getByRole("button").first();
  const text = await offset.innerText();
  await offset.click();
  await treeRow(page).getByText("offset").waitFor();
  const marked = (await page.locator("#hex .h .fs").allTextContents()).join("").trim().split(/\s+/).join("");
  assert.equal(Buffer.from(marked, "hex").toString(), text);
  await eventually(() => payload.locator("tr.sel").count(), 1);
  await eventually(() => page.locator(".ruler .piece.sel").count(), 1);
  await page.getByText("argument 0 · offset").first().waitFor();
  await axe(page);
  await screenshot(page, "argument-value");
});

for (const theme of ["light", "dark"]) {
  journey(`source lines link to their code and back, ${theme}`, { theme, width: 1440, height: 900 }, async (page) => {
    await open(page, LINES, "Source lines");
    await row(page, 0).getByText("debugme.cl").waitFor();
    await row(page, 1).getByRole("gridcell").first().click();
    await strip(page).getByText("debugme.cl, line 5").waitFor();
    const bytes = (await page.locator("#hex .h .fs").allTextContents()).join(" ").trim().split(/\s+/);
    assert.equal(bytes.length, 104);
    // From the code to its line.
    await page.keyboard.press("g");
    await page.getByRole("dialog").getByRole("textbox").fill(".text.step+0xf8");
    await page.keyboard.press("Enter");
    await strip(page).getByText("debugme.cl, line 9").waitFor();
    await axe(page);
    // The source text appears next to its lines and is not opened as a file.
    await dropFile(page, fixture("src/debugme.cl"));
    await page.getByText("debugme.cl: the source of 33 rows.").waitFor();
    await row(page, 1).getByText("int i = get_global_id(0);").waitFor();
    await axe(page);
    await fits(page);
    await screenshot(page, `source-lines-${theme}`);
    await strip(page).getByRole("button", { name: "All code of this line" }).click();
    await eventually(async () => (await page.locator("#source-lines [data-row]").count()) < 10, true);
    assert.equal(await page.getByLabel("Filter source lines").inputValue(), 'source_file="debugme.cl" line=9');
    await dropBytes(page, { "other.cpp": Buffer.from("int x;\n") });
    await page.getByText("No code comes from other.cpp.").waitFor();
  });
}

journey("source lines, 420 px", { width: 420, height: 800 }, async (page) => {
  await open(page, LINES, "Source lines");
  await row(page, 0).getByText("debugme.cl").waitFor();
  await axe(page);
  await fits(page);
  await screenshot(page, "source-lines-420");
});

journey("a symbol without a size selects its instruction", async (page) => {
  await open(page, SPILL, "Symbols");
  const symbol = page.locator("#symbols [data-row]", { hasText: "_entry" }).first();
  await symbol.waitFor();
  await symbol.getByRole("gridcell").nth(3).click();
  await treeRow(page).getByText(/^\+0x/).waitFor();
  await page.getByRole("contentinfo").getByText(/· (8|16) bytes/).waitFor();
  // Drawn as a value although it has child fields.
  const painted = async () => (await page.locator("#hex .h .fs").allTextContents()).join(" ").trim().split(/\s+/).length;
  await eventually(painted, (count) => [8, 16].includes(count));
});
