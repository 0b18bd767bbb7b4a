// What makes a file large: a treemap and a table with the same numbers.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { axe, choose, dropBytes, dropFile, eventually, journey, screenshot } from "./harness.mjs";
import { zip } from "./zip.mjs";

const sample = (name) => path.join(import.meta.dirname, "../../www/samples", name);
const tab = (page, name) => page.getByRole("tab", { name: new RegExp(`^${name}`) });
const panel = (page) => page.getByRole("tabpanel", { name: "Size" });
const texts = (page, column) => page.locator(`#sizes [data-row] [data-column='${column}']`).allInnerTexts();
const sum = async (page) => (await texts(page, 1)).reduce((sum, text) => sum + Number(text.replace(/\D/g, "")), 0);
const groups = (page) => panel(page).locator(".treemap .frame");

for (const scheme of ["light", "dark"]) {
  journey(`sizes of a wheel, ${scheme}`, { width: 1440, height: 900, theme: scheme }, async (page) => {
    const wheel = sample("vectors-1.0-py3-none-linux_x86_64.whl");
    await dropFile(page, wheel);
    await choose(tab(page, "Size"));
    await groups(page).first().waitFor();
    await eventually(() => sum(page), (await readFile(wheel)).length);
    await eventually(async () => (await texts(page, 0)).includes("bmg-g21"), true);
    await axe(page);
    await screenshot(page, `sizes-${scheme}`);
  });
}

journey("the treemap is used by keyboard and by click", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, sample("vectors-1.0-py3-none-linux_x86_64.whl"));
  await choose(tab(page, "Size"));
  await groups(page).first().waitFor();
  // One of the groups is in the order of focus.
  await eventually(() => panel(page).locator(".treemap [tabindex='0']").count(), 1);
  await groups(page).first().focus();
  await page.keyboard.press("End");
  await eventually(() => page.evaluate(() => document.activeElement?.id), `size-group-${(await groups(page).count()) - 1}`);
  await page.keyboard.press("Home");
  await eventually(() => page.evaluate(() => document.activeElement?.id), "size-group-0");
  const device = panel(page).getByRole("button", { name: /^bmg-g21:/ });
  await device.first().focus();
  const before = await sum(page);
  await page.keyboard.press("Enter");
  const crumbs = panel(page).getByRole("navigation", { name: "Groups around" });
  await crumbs.getByText("device bmg-g21").waitFor();
  await eventually(async () => (await texts(page, 0)).includes("vecadd"), true);
  assert.ok((await sum(page)) < before);
  await axe(page);
  await crumbs.getByRole("button", { name: "whole file" }).click();
  await eventually(() => sum(page), before);
  await panel(page).getByLabel("Group by").selectOption("kernel");
  await eventually(async () => (await texts(page, 0)).includes("vecadd"), true);
  // A kernel leads to its code.
  await page.locator("#sizes [data-row]", { hasText: "vecadd" }).first().dblclick();
  await page.getByRole("tabpanel", { name: "Assembly" }).waitFor();
});

journey("copies and bytes that are not read", { width: 1440, height: 900 }, async (page) => {
  const zebin = await readFile(sample("vecadd.bmg.zebin"));
  const archive = Buffer.concat([Buffer.from("7z\xbc\xaf\x27\x1c", "latin1"), Buffer.alloc(600)]);
  await dropBytes(page, { "copies.whl": zip({ "a.zebin": zebin, "b.zebin": zebin, "inner.7z": archive }) });
  await choose(tab(page, "Size"));
  await panel(page).getByLabel("Group by").selectOption("part");
  await eventually(async () => {
    const names = await texts(page, 0);
    return ["[copies]", "[not read]", "[instructions]"].every((name) => names.includes(name));
  }, true);
  await panel(page).getByText("1 file was not read: inner.7z: a 7z archive").first().waitFor();
  await axe(page);
});
