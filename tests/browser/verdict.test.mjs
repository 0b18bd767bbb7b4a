// The driver's verdict on a file, separate from its diagnostics.

import assert from "node:assert/strict";
import path from "node:path";
import { axe, dropFile, eventually, journey, screenshot } from "./harness.mjs";

const SAMPLES = path.join(import.meta.dirname, "../../www/samples");

const open = (page, name) => dropFile(page, path.join(SAMPLES, name));
const chip = (page, text) => page.locator(".head-line .chips button", { hasText: text });
const overview = (page) => page.getByRole("tabpanel", { name: "Overview" });
const problems = (page) => page.getByRole("listbox", { name: "Problems" });

for (const theme of ["light", "dark"]) {
  journey(`the verdict line and another device, ${theme}`, { theme }, async (page) => {
    await open(page, "vecadd.bmg.zebin");
    await chip(page, "driver: loads").waitFor();
    await overview(page).getByText("well-formed").waitFor();
    await axe(page);

    // Another device by the driver's name, then by its numbers.
    const device = page.getByLabel("Check another GPU");
    await device.fill("dg2");
    await device.press("Enter");
    await chip(page, "driver: recompiled on acm-g10").waitFor();
    await overview(page).getByText("(selected device)").waitFor();
    await overview(page).getByText("well-formed").waitFor();
    await axe(page);
    await screenshot(page, `verdict-${theme}`);
    await device.fill("20.1.0");
    await device.press("Enter");
    await overview(page).getByText("on bmg-g21 (selected device)").waitFor();

    // An unknown device.
    await device.fill("gtx");
    await device.press("Enter");
    await overview(page).getByRole("alert").getByText("no device is called").waitFor();
    await overview(page).getByRole("button", { name: "Back to the file’s target" }).click();
    await chip(page, "driver: loads").waitFor();
    await eventually(() => device.inputValue(), "");
  });
}

journey("typed text survives a rerender", {}, async (page) => {
  await open(page, "vecadd.bmg.zebin");
  await chip(page, "driver: loads").waitFor();
  const device = page.getByLabel("Check another GPU");
  await device.fill("dg2");
  await page.evaluate(() => { location.hash = "#p=.ze_info"; });
  await page.locator("[role=treeitem][aria-selected=true]", { hasText: ".ze_info" }).waitFor();
  assert.equal(await device.inputValue(), "dg2");
  await device.press("Enter");
  await chip(page, "driver: recompiled on acm-g10").waitFor();
});

journey("a reason of the verdict selects its bytes", {}, async (page) => {
  await open(page, "vecadd.bmg.zebin");
  const device = page.getByLabel("Check another GPU");
  await device.fill("dg2");
  await device.press("Enter");
  await overview(page).locator(".findings button").first().click();
  await page.locator("[role=treeitem][aria-selected=true]", { hasText: "NT_INTELGT_PRODUCT_CONFIG" }).waitFor();
});

journey("a damaged file: findings of the driver and the specification by keyboard", {}, async (page) => {
  await open(page, "damaged.zebin");
  await chip(page, "malformed").click();
  await problems(page).waitFor();
  await problems(page).getByText("Driver 26").waitFor();
  await problems(page).getByText("Errors: the file violates").waitFor();
  await axe(page);
  await problems(page).focus();
  await page.keyboard.press("Home");
  const selected = problems(page).locator("[aria-selected=true]");
  await selected.getByText("driver/").waitFor();
  const before = await selected.innerText();
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(
    (before) => document.querySelector("#panel [aria-selected=true]")?.innerText !== before,
    before,
  );
  await page.keyboard.press("End");
  await selected.waitFor();

  // Only the errors.
  await page.getByRole("button", { name: /driver findings?/ }).click();
  await page.waitForFunction(() => !document.querySelector("#panel").innerText.includes("Driver 26"));
  await page.getByLabel("Filter problems").fill("no such words");
  await page.getByRole("status").getByText("0 of").waitFor();
  await page.getByText("No problems match the filter.").waitFor();
  await screenshot(page, "problems");
});

journey("every rule is explained in the help", {}, async (page) => {
  await open(page, "vecadd.bmg.zebin");
  await page.keyboard.press("?");
  await page.getByRole("button", { name: "All rules…" }).click();
  const dialog = page.getByRole("dialog", { name: "Rules" });
  await dialog.locator("summary").first().waitFor();
  await dialog.getByLabel("Filter rules").fill("driver/other-device");
  await dialog.locator("summary").getByText("driver/other-device").click();
  await dialog.getByText("one that the driver knows to be compatible").waitFor();
  await axe(page);
  await screenshot(page, "rules");
});

journey("the rules can be read while a file is being opened", { slowDecoder: 300 }, async (page) => {
  await open(page, "vecadd.bmg.zebin");
  await page.keyboard.press("?");
  await page.getByRole("button", { name: "All rules…" }).click();
  await page.getByRole("dialog", { name: "Rules" }).locator("summary").first().waitFor();
});

journey("the rules can be read without a file", {}, async (page) => {
  await page.keyboard.press("?");
  await page.getByRole("button", { name: "All rules…" }).click();
  await page.getByRole("dialog", { name: "Rules" }).locator("summary").first().waitFor();
});
