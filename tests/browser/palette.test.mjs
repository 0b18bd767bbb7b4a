// The search field behind `>`: panels, commands and devices by name.

import assert from "node:assert/strict";
import path from "node:path";
import { axe, dropFile, eventually, journey, screenshot } from "./harness.mjs";

const SPILL = path.join(import.meta.dirname, "../../www/samples/spill.dg2.zebin");

const field = (page) => page.getByRole("combobox", { name: /^Search names/ });
const option = (page, name) => page.getByRole("listbox", { name: "Results" }).getByRole("option", { name });

for (const theme of ["light", "dark"]) {
  journey(`Ctrl+K leads to panels, figures, devices and commands, ${theme}`, { theme, width: 1440, height: 900 }, async (page) => {
    await dropFile(page, SPILL);
    await page.getByRole("tablist", { name: "Level" }).waitFor();
    await page.keyboard.press("Control+k");
    await eventually(() => field(page).inputValue(), ">");
    await option(page, "Kernel: Assembly").waitFor();
    // Devices are many: not without a word.
    assert.equal(await option(page, /^Check a GPU/).count(), 0);
    await axe(page);
    await screenshot(page, `palette-${theme}`);
    await field(page).pressSequentially("assem kernel");
    await eventually(() => page.getByRole("option").allTextContents(), ["Kernel: Assembly"]);
    await page.keyboard.press("Enter");
    await page.getByRole("tab", { name: "Assembly", selected: true }).waitFor();
    await eventually(() => field(page).inputValue(), "");
    // Keys go to the page again, not into the field.
    await eventually(() => page.evaluate(() => document.activeElement.id), (id) => id !== "search");

    // The arrow keys choose; nothing is done before Enter.
    await page.keyboard.press("Control+k");
    await field(page).pressSequentially("code:");
    await option(page, "Code: live registers").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await eventually(() => option(page, "Code: loops").getAttribute("aria-selected"), "true");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Live registers", exact: true }).waitFor();

    await page.keyboard.press("Control+k");
    await field(page).pressSequentially("gpu pvc");
    await option(page, /^Check a GPU: pvc$/).click();
    await page.getByRole("tabpanel", { name: "Overview" }).getByText(/on pvc/).first().waitFor();

    // A dialog keeps the focus.
    await page.keyboard.press("Control+k");
    await field(page).pressSequentially("help");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Help" }).waitFor();
    await page.keyboard.press("Escape");
  });
}

journey("without > the field searches as before; nothing fits is said", {}, async (page) => {
  await dropFile(page, SPILL);
  await page.getByRole("tablist", { name: "Level" }).waitFor();
  await page.keyboard.press("/");
  await field(page).pressSequentially("spill");
  await option(page, /spill/).first().waitFor();
  // What is nothing else may be a name of a device.
  await field(page).fill(">b580");
  await option(page, "Check a GPU: b580").waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "Verdict" }).getByText(/bmg-g21/).first().waitFor();
  await axe(page);
});
