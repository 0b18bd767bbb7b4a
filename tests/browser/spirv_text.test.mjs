// SPIR-V as text: tokens, definitions, uses, folded functions, and the search.

import assert from "node:assert/strict";
import { axe, choose, dropFile, eventually, fixture, journey, screenshot, showAllPanes } from "./harness.mjs";

showAllPanes();

const MODULE = fixture("spirv/literals.spv");
const ZEBIN = fixture("zebin/debugme-lines.ptl-h.igc2.40.zebin");

const grid = (page) => page.locator("#lines");
const line = (page, text) => grid(page).getByRole("row").filter({ hasText: text }).first();
const selected = (page) => grid(page).locator("[role=row][aria-selected=true]").first();

async function openText(page, file) {
  await dropFile(page, file);
  await choose(page.getByRole("tab", { name: "Text", exact: true }));
  await grid(page).getByRole("row").first().waitFor();
}

for (const [theme, width] of [["light", 1440], ["dark", 1440], ["light", 700]]) {
  journey(`SPIR-V as text, ${theme}, ${width} px`, { theme, width, height: 900 }, async (page) => {
    await openText(page, MODULE);
    await line(page, "; Version: 1.4").waitFor();
    await line(page, "OpMemoryModel Physical64 OpenCL").waitFor();
    await axe(page);
    await screenshot(page, `spirv-text-${theme}-${width}`);
  });
}

journey("a token leads to its bytes, an id to its definition and uses", { width: 1440, height: 900 }, async (page) => {
  await openText(page, MODULE);
  await line(page, "OpMemoryModel").locator(".op").click();
  // Word 0 of the instruction: its length and opcode.
  await page.getByText("0e 00 03 00").first().waitFor();
  await line(page, "OpEntryPoint").locator(".link").first().click();
  await eventually(() => selected(page).innerText(), /%main = OpFunction/);
  await page.getByText("used by").first().waitFor();
});

journey("functions are folded, and the search finds lines", { width: 1440, height: 900 }, async (page) => {
  await openText(page, MODULE);
  await page.getByRole("searchbox", { name: "Find in this text" }).fill("opphi");
  await page.getByText("1 of 1").waitFor();
  await eventually(() => selected(page).innerText(), /OpPhi/);
  await page.getByRole("searchbox", { name: "Find in this text" }).fill("OpFunction %");
  await eventually(() => selected(page).innerText(), /OpFunction %void/);
  await page.getByRole("button", { name: "Fold the function" }).click();
  await page.getByRole("button", { name: "Unfold the function" }).waitFor();
  assert.equal(await line(page, "OpPhi").count(), 0);
  await page.getByRole("button", { name: "Unfold the function" }).click();
  await page.getByRole("button", { name: "Fold the function" }).waitFor();
});

journey("the section .spv of a zebin shows its SPIR-V", { width: 1440, height: 900 }, async (page) => {
  await openText(page, ZEBIN);
  await page.getByRole("combobox", { name: "Text", exact: true }).selectOption({ label: ".spv" });
  await line(page, "OpCapability").waitFor();
  await line(page, "OpMemoryModel Physical64 OpenCL").waitFor();
});
