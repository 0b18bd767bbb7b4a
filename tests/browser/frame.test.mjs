// Page chrome: links, borders, dialogs, colors, keys.

import assert from "node:assert/strict";
import path from "node:path";
import { axe, contextOf, dropFile, eventually, expectRequests, journey, load, screenshot } from "./harness.mjs";

const SAMPLES = path.join(import.meta.dirname, "../../www/samples");
const sample = (name) => path.join(SAMPLES, name);
const elfHeader = (page) => page.getByRole("treeitem", { name: "ELF header" });
const selected = (page) => page.locator("[role=treeitem][aria-selected=true]");

async function open(page, name) {
  await dropFile(page, sample(name));
  await elfHeader(page).waitFor();
}

journey("Back restores the previous selection", {}, async (page) => {
  await open(page, "vecadd.bmg.zebin");
  await elfHeader(page).click();
  await page.waitForFunction(() => location.hash !== "");
  await page.getByRole("treeitem", { name: /^\.ze_info/ }).click();
  await page.waitForFunction(() => location.hash.includes("ze_info"));
  await page.goBack();
  await selected(page).getByText("ELF header").waitFor();
  assert.ok(!page.url().includes("vecadd"), "no local file name is in the address");
});

journey("a copied link selects the same bytes", {
  address: "?url=samples/vecadd.bmg.zebin",
  before: async (page) => {
    expectRequests(page, /samples\/vecadd/);
    await contextOf(page).grantPermissions(["clipboard-read", "clipboard-write"]);
  },
}, async (page) => {
  await elfHeader(page).waitFor();
  await page.getByRole("treeitem", { name: /^\.ze_info/ }).click();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("treeitem", { name: /^version/ }).click();
  await page.getByRole("button", { name: /link/i }).first().click();
  await page.getByRole("status").getByText(/Link copied/i).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.goto("about:blank");
  await load(page, () => page.goto(link));
  await selected(page).getByText("version").waitFor();
});

journey("g goes to an offset, a section and a path", {}, async (page) => {
  await open(page, "vecadd.bmg.zebin");
  for (const [typed, expected] of [
    ["0x12", "e_machine"],
    [".ze_info", ".ze_info"],
    [".ze_info/kernels/[0]", "vecadd"],
  ]) {
    await page.keyboard.press("g");
    await page.getByRole("textbox", { name: /Offset, name/ }).fill(typed);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await selected(page).getByText(expected).first().waitFor();
  }
  await page.keyboard.press("g");
  await page.getByRole("textbox", { name: /Offset, name/ }).fill("no such thing");
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("“no such thing” was not found.").first().waitFor();
});

journey("a dialog opens although the browser has not reported that the one before was closed", {}, async (page) => {
  await open(page, "vecadd.bmg.zebin");
  const dialog = (name) => page.getByRole("dialog", { name });
  // Another dialog, and the same one.
  for (const [key, name] of [["g", "Go to"], ["?", "Help"]]) {
    await page.keyboard.press("?");
    await dialog("Help").waitFor();
    // The event "close" comes in a later task.
    await page.evaluate((key) => {
      document.querySelector("dialog").close();
      window.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
    }, key);
    await dialog(name).waitFor();
    await page.keyboard.press("Escape");
    await eventually(() => page.locator("dialog").count(), 0);
  }
});

journey("a dialog traps the focus and restores it when closed", {}, async (page) => {
  await open(page, "vecadd.bmg.zebin");
  const help = page.getByRole("button", { name: "Help", exact: true });
  await help.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Help" });
  await dialog.waitFor();
  assert.ok(await dialog.evaluate((element) => element.contains(document.activeElement)));
  await axe(page);
  await screenshot(page, "help");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.ok(await help.evaluate((element) => element === document.activeElement));
});

journey("splitters move with the arrow keys; their position is remembered", {}, async (page) => {
  await open(page, "vecadd.bmg.zebin");
  const border = page.getByRole("separator").first();
  await border.focus();
  const before = Number(await border.getAttribute("aria-valuenow"));
  const width = () => page.getByRole("tree").evaluate((element) => element.getBoundingClientRect().width);
  const wide = await width();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  const size = async () => Number(await page.getByRole("separator").first().getAttribute("aria-valuenow"));
  await eventually(size, (now) => now > before);
  await eventually(width, (now) => now > wide);
  const after = await size();
  await load(page, () => page.reload());
  await open(page, "vecadd.bmg.zebin");
  await eventually(size, after);
});

journey("a chosen theme is remembered", {}, async (page) => {
  const theme = () => page.locator("html").getAttribute("data-theme");
  assert.equal(await theme(), null);
  const button = page.getByRole("button", { name: /^Theme/ });
  await button.click();
  await eventually(theme, /^(light|dark)$/);
  const chosen = await theme();
  await load(page, () => page.reload());
  assert.equal(await theme(), chosen);
  await axe(page);
});

journey("the selection is visible in forced colors", { forcedColors: true }, async (page) => {
  await open(page, "damaged.zebin");
  await elfHeader(page).click();
  const [row, plain] = await Promise.all([
    selected(page).evaluate((element) => {
      const { outlineStyle, backgroundColor, color, borderStyle, forcedColorAdjust } = getComputedStyle(element);
      return { outlineStyle, backgroundColor, color, borderStyle, forcedColorAdjust };
    }),
    page.getByRole("treeitem", { selected: false }).first().evaluate((element) => getComputedStyle(element).backgroundColor),
  ]);
  assert.ok(row.outlineStyle !== "none" || row.backgroundColor !== plain, JSON.stringify(row));
  await axe(page);
  await screenshot(page, "forced-colors");
});

journey("bracket keys step through the problems", {}, async (page) => {
  await open(page, "damaged.zebin");
  await page.getByRole("tree").focus();
  const status = () => page.locator("footer").innerText();
  const changed = (before) =>
    page.waitForFunction((before) => document.querySelector("footer").innerText !== before, before);
  const start = await status();
  await page.keyboard.press("]");
  await changed(start);
  const first = await status();
  await page.keyboard.press("]");
  await changed(first);
  await page.keyboard.press("[");
  await page.waitForFunction((first) => document.querySelector("footer").innerText === first, first);
});
