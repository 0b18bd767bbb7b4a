// The data flow of a kernel in the Assembly panel.

import path from "node:path";
import { axe, dropFile, eventually, journey, screenshot } from "./harness.mjs";

const SPILL = path.join(import.meta.dirname, "../../www/samples/spill.dg2.zebin");

const rows = (page) => page.getByRole("grid", { name: "Assembly" }).getByRole("row");
const summary = (page) => page.getByRole("group", { name: "Data flow" });
const code = (page) => page.getByRole("combobox", { name: "Code" });
const current = (page) => page.locator("#instructions [role=row][aria-selected=true]");


async function open(page, section) {
  await dropFile(page, SPILL);
  await page.getByRole("tab", { name: "Assembly", exact: true }).click();
  await rows(page).nth(1).waitFor();
  await code(page).selectOption({ label: section });
  await page.getByText(section === ".text.spill" ? /^1.403 instructions/ : /^556 instructions/).waitFor();
  await summary(page).getByText(/registers live/).waitFor();
}

for (const [theme, width, height] of [["light", 1440, 900], ["dark", 1440, 900], ["light", 1920, 1080], ["dark", 1920, 1080], ["light", 700, 900]]) {
  journey(`live registers at the peak, in ${theme}, ${width} px`, { theme, width, height }, async (page) => {
    await open(page, ".text.spill");
    const peak = summary(page).getByRole("button", { name: /^\d+ of 128 registers live$/ });
    const most = /^\d+/.exec(await peak.textContent())[0];
    await peak.click();
    await eventually(() => current(page).locator(".live.peak").textContent(), most);
    await axe(page);
    await screenshot(page, `data-flow-${theme}-${width}`);
  });
}

journey("spill slots, loops and waits lead to their instructions", { width: 1440, height: 900 }, async (page) => {
  await open(page, ".text.spill");
  for (const [menu, column] of [["Spill slots", "Written at"], ["Spill patterns", "Explanation"], ["Loops", "Cycles"], ["Waits", "Waits for"]]) {
    await summary(page).locator("summary").filter({ hasText: menu }).click();
    const table = summary(page).getByRole("table", { name: menu });
    await table.getByRole("columnheader", { name: column }).waitFor();
    await axe(page);
    await screenshot(page, `data-flow-${menu.toLowerCase().replace(" ", "-")}`);
    const link = table.getByRole("button", { name: /^\+0x/ }).first();
    const offset = (await link.textContent()).slice(1);
    await link.click();
    await eventually(() => current(page).getByRole("gridcell").first().textContent(), new RegExp(`${offset}$`));
  }
});

journey("producers of the selected instruction are marked; a link leads to one and back", { width: 1440, height: 900 }, async (page) => {
  await open(page, ".text.bigprivate");
  await rows(page).filter({ hasText: "send" }).first().locator(".asm b").click();
  await page.locator("#instructions .flow-mark.producer").first().waitFor();
  // The address follows later.
  const selected = await page.waitForFunction(() => /0x/.test(location.hash) && location.hash).then((hash) => hash.jsonValue());
  const from = await current(page).getByRole("gridcell").first().textContent();
  await page.getByRole("button", { name: /r127.* at \+0x0$/ }).first().click();
  await eventually(() => current(page).getByRole("gridcell").first().textContent(), /0x0$/);
  await page.locator("#instructions .flow-mark.consumer").first().waitFor();
  // Alt+← of a browser.
  await page.waitForFunction((hash) => location.hash !== hash, selected);
  await page.goBack();
  await eventually(() => current(page).getByRole("gridcell").first().textContent(), new RegExp(`${from.trim().replace(/^\D/, "")}$`));
});

journey("the uses of an operand’s register are filtered by what the instructions read and write", { width: 1440, height: 900 }, async (page) => {
  await open(page, ".text.bigprivate");
  await rows(page).filter({ hasText: "send" }).first().locator(".asm b").click();
  await page.getByRole("button", { name: "uses", exact: true }).first().click();
  await eventually(() => page.getByRole("searchbox", { name: "Filter instructions" }).inputValue(), /^reg=r\d+$/);
  await page.getByText(/^3 of 567 rows/).waitFor();
});

journey("the strip of live registers selects the instruction under the pointer", { width: 1440, height: 900 }, async (page) => {
  await open(page, ".text.spill");
  const box = await page.locator("svg.heat").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await current(page).waitFor();
});
