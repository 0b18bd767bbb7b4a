// Menus, the browser's search, scrolling after sorting, focus between panes.

import assert from "node:assert/strict";
import path from "node:path";
import { choose, dropFile, eventually, journey } from "./harness.mjs";

const SAMPLES = path.join(import.meta.dirname, "../../www/samples");
const MANY = path.join(SAMPLES, "kernels600.dg2.zebin");

async function kernels(page) {
  await dropFile(page, MANY);
  await choose(page.getByRole("tab", { name: "Kernels", exact: true }));
  await page.locator("#kernels [data-row='0']").waitFor();
}

const menu = (page, name) => page.locator("details.menu", { has: page.locator("summary", { hasText: name }) });
const isOpen = (menu) => menu.evaluate((element) => element.open);

journey("menus close on Escape, an outside click and a chosen action", { width: 1440, height: 900 }, async (page) => {
  await kernels(page);
  const columns = menu(page, "Columns");
  const summary = columns.locator("summary");
  await summary.click();
  assert.equal(await isOpen(columns), true);
  // A click on a checkbox keeps the menu open.
  await columns.getByRole("checkbox").first().click();
  assert.equal(await isOpen(columns), true);
  await page.keyboard.press("Escape");
  assert.equal(await isOpen(columns), false);
  assert.equal(await summary.evaluate((element) => element === document.activeElement), true);
  await summary.click();
  // A cell that the menu does not cover.
  await page.locator("#kernels [data-row='3'] [role=gridcell]").first().click();
  assert.equal(await isOpen(columns), false);

  const exports = menu(page, "Export");
  await exports.locator("summary").focus();
  await page.keyboard.press("Enter");
  assert.equal(await isOpen(exports), true);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  const focused = () => page.evaluate(() => document.activeElement.textContent);
  assert.equal(await focused(), "Copy as TSV");
  await page.keyboard.press("Enter");
  await eventually(() => isOpen(exports), false);
});

journey("sorting scrolls to the first rows", { width: 1440, height: 900 }, async (page) => {
  await kernels(page);
  await page.locator("#kernels [data-row='5']").click();
  await page.locator("#kernels [aria-selected=true]").waitFor();
  await page.locator("#kernels [role=columnheader]", { hasText: "Kernel" }).first().click();
  await page.locator("#kernels [role=columnheader]", { hasText: "Kernel" }).first().click();
  await eventually(() => page.locator("#kernels").evaluate((grid) => grid.scrollTop), 0);
  await page.waitForTimeout(300);
  assert.equal(await page.locator("#kernels").evaluate((grid) => grid.scrollTop), 0);
});

journey("the browser's search does not scroll the layout", { width: 1440, height: 900 }, async (page) => {
  await kernels(page);
  await choose(page.getByRole("tab", { name: "Overview", exact: true }));
  await page.evaluate(() => { for (let i = 0; i < 20; i++) window.find("kernel"); });
  const top = await page.evaluate(() => document.querySelector(".head-line").getBoundingClientRect().top);
  assert.equal(top, 0);
  const [scrolled, height] = await page.evaluate(() => [document.documentElement.scrollTop, document.documentElement.scrollHeight - innerHeight]);
  assert.deepEqual([scrolled, height], [0, 0]);
});

journey("F6 moves between panes, digits select a panel", { width: 1440, height: 900, storage: { "zeview.panes": "kernels=sbi" } }, async (page) => {
  await kernels(page);
  const pane = () => page.evaluate(() => document.activeElement.closest(".pane.left, .pane.upper, .pane.lower, .pane.right")?.className ?? "");
  await page.locator("[role=tree]").focus();
  for (const expected of ["upper", "lower", "right", "left", "upper"]) {
    await page.keyboard.press("F6");
    assert.match(await pane(), new RegExp(expected));
  }
  for (const expected of ["left", "right", "lower"]) {
    await page.keyboard.press("Shift+F6");
    assert.match(await pane(), new RegExp(expected));
  }
  const chosen = page.locator(".tabs [role=tab][aria-selected=true]").first();
  await page.keyboard.press("F6");
  await page.keyboard.press("1");
  await eventually(() => chosen.innerText(), /Overview/);
  await page.keyboard.press("2");
  await eventually(() => chosen.innerText(), /Kernels/);
});
