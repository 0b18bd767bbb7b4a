// The tree by kernel.

import assert from "node:assert/strict";
import path from "node:path";
import { axe, choose, dropFile, eventually, fixture, journey, load, screenshot, showAllPanes } from "./harness.mjs";

showAllPanes();

const SAMPLES = path.join(import.meta.dirname, "../../www/samples");
const sample = (name) => path.join(SAMPLES, name);

const tree = (page) => page.getByRole("tree", { name: "Structure" });
const rows = (page) => page.getByRole("treeitem");
const row = (page, name) => page.getByRole("treeitem", { name });
const selected = (page) => page.getByRole("treeitem", { selected: true });
const menu = (page) => page.locator("summary", { hasText: "Show" });
const order = (page, name) => page.getByRole("radiogroup", { name: "Order" }).getByRole("radio", { name });
const inspector = (page) => page.getByRole("region", { name: "Inspector" });

async function chooseOrder(page, name) {
  await menu(page).click();
  await order(page, name).click();
  await eventually(() => order(page, name).getAttribute("aria-checked"), "true");
  await page.keyboard.press("Escape");
}

/** Names of the selected row's ancestors without the file, outermost first. */
async function above(page) {
  // Rows out of view are not in the DOM.
  await selected(page).evaluate((row) => row.scrollIntoView({ block: "center" }));
  const all = await rows(page).evaluateAll((rows) =>
    rows.map((row) => ({
      level: Number(row.ariaLevel),
      selected: row.ariaSelected === "true",
      // A long name occurs in two pieces and, for copying, whole.
      name: row.querySelector(".n").innerText.split("\n").at(-1),
    })),
  );
  const at = all.findIndex((row) => row.selected);
  const names = [];
  for (let level = all[at]?.level, i = at - 1; i >= 0; i--) {
    if (all[i].level >= level || all[i].level === 1) continue;
    level = all[i].level;
    names.unshift(all[i].name);
  }
  return names;
}

for (const theme of ["light", "dark"]) {
  journey(`the tree groups the parts of each kernel, ${theme}`, { theme, width: 1440, height: 900 }, async (page) => {
    await dropFile(page, sample("kernels600.dg2.zebin"));
    await row(page, "ELF header").waitFor();
    await menu(page).click();
    assert.equal(await order(page, "As in the file").getAttribute("aria-checked"), "true");
    await axe(page);
    await order(page, "By kernel").click();
    await row(page, /k0000_int.*SIMD32/).waitFor();
    assert.equal(await order(page, "As in the file").getAttribute("aria-checked"), "false");
    await axe(page);
    await screenshot(page, `by-kernel-menu-${theme}`);
    await page.keyboard.press("Escape");
    await row(page, /k0003_/).click();
    await page.keyboard.press("ArrowRight");
    await row(page, /^\.rel\.text\.k0003_/).waitFor();
    await row(page, /^\.symtab\/\[\d+\] _entry/).waitFor();
    await row(page, /^\.text\.k0003_/).click();
    await eventually(() => above(page).then((names) => names.at(-1)), /^k0003_/);
    await inspector(page).getByText(".text.k0003_").first().waitFor();
    await axe(page);
    await screenshot(page, `by-kernel-${theme}`);
    // The ELF header and parts shared by several kernels are in the rest.
    await tree(page).focus();
    await page.keyboard.press("End");
    await eventually(() => selected(page).innerText(), /rest of the file/);
    await page.keyboard.press("ArrowRight");
    await eventually(() => selected(page).getAttribute("aria-expanded"), "true");
    await page.keyboard.press("ArrowDown");
    await eventually(() => selected(page).innerText(), /^ELF header/);
    await row(page, /^\.ze_info/).waitFor();
    await screenshot(page, `by-kernel-rest-${theme}`);
  });
}

for (const theme of ["light", "dark"]) {
  journey(`tree by kernel in a narrow window, ${theme}`, { theme, width: 700, height: 900 }, async (page) => {
    await dropFile(page, sample("spill.dg2.zebin"));
    await page.getByRole("tab", { name: "Structure" }).click();
    await chooseOrder(page, "By kernel");
    await row(page, /^spill SIMD/).click();
    await page.keyboard.press("ArrowRight");
    await row(page, /^\.text\.spill/).click();
    await eventually(() => selected(page).innerText(), /^\.text\.spill/);
    await axe(page);
    await screenshot(page, `by-kernel-narrow-${theme}`);
  });
}

journey("both paths to an entry select the same node without scrolling", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, sample("spill.dg2.zebin"));
  await chooseOrder(page, "By kernel");
  await tree(page).focus();
  // The kernel selects its entry in .ze_info, which is also a row below it.
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await eventually(() => selected(page).innerText(), /^bigprivate/);
  const path = page.getByRole("region", { name: "Inspector" });
  await path.getByText(".ze_info/kernels/[0]").or(path.getByText("bigprivate")).first().waitFor();
  await page.keyboard.press("ArrowRight");
  await row(page, /^\.ze_info\/kernels\/\[0\]/).waitFor();
  await page.keyboard.press("ArrowDown");
  await eventually(() => selected(page).innerText(), /\.ze_info\/kernels\/\[0\]/);
  await page.keyboard.press("ArrowUp");
  await eventually(() => selected(page).innerText(), /^bigprivate/);
  // In the table of all entries, the selection stays.
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  // Rows named .ze_info/kernels/[0] disappear with the kernel's branch.
  await row(page, /^\.ze_info(?!\/)/).click();
  await page.keyboard.press("Enter");
  await row(page, /^kernels/).first().click();
  await page.keyboard.press("Enter");
  await row(page, /^1\s*hugeprivate/).click();
  await eventually(() => above(page), ["rest of the file", ".ze_info", "kernels"]);
  await page.keyboard.press("ArrowDown");
  await eventually(() => selected(page).innerText(), /^2\s*spill/);
  await eventually(() => above(page), ["rest of the file", ".ze_info", "kernels"]);
  // Its node is the same as in file order.
  await chooseOrder(page, "As in the file");
  await eventually(() => above(page), [".ze_info", "kernels"]);
  await eventually(() => selected(page).innerText(), /^2\s*spill/);
});

journey("a selection made elsewhere appears in the tree by kernel; the order is remembered", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, sample("kernels600.dg2.zebin"));
  await choose(page.getByRole("tab", { name: "Kernels", exact: true }));
  const filter = page.getByRole("searchbox", { name: "Filter kernels" });
  await filter.fill("k0300_int");
  await page.getByText("1 of 600 kernels").waitFor();
  const cell = page.getByRole("grid", { name: "Kernels" }).getByRole("gridcell", { name: /^32/ }).first();
  await cell.click();
  await eventually(() => selected(page).innerText(), /^simd_size/);
  // The selection stays in view.
  await chooseOrder(page, "By kernel");
  const way = ["k0300_int", ".ze_info/kernels/[300]", "execution_env"];
  await eventually(() => above(page), way);
  await eventually(() => selected(page).innerText(), /^simd_size/);
  // Follow a link in a page that remembers the order.
  await eventually(() => page.evaluate(() => location.hash), /k=k0300_int&f=simd_size/);
  await load(page, () => page.reload());
  await dropFile(page, sample("kernels600.dg2.zebin"));
  await eventually(() => above(page), way);
  await eventually(() => selected(page).innerText(), /^simd_size/);
  // A byte of the header is in the rest, one of the code in the kernel's section.
  await page.keyboard.press("g");
  await page.keyboard.type("0x10");
  await page.keyboard.press("Enter");
  await eventually(() => above(page), ["rest of the file", "ELF header"]);
  await page.keyboard.press("g");
  await page.keyboard.type(".text.k0007_float+0x20");
  await page.keyboard.press("Enter");
  await eventually(() => above(page).then((names) => names.slice(0, 2)), ["k0007_float", ".text.k0007_float"]);
  // The breadcrumbs are in file order; the row is found nevertheless.
  await page.getByRole("navigation").or(page.locator("main")).getByRole("button", { name: ".text.k0007_float", exact: true }).first().click();
  await eventually(() => selected(page).innerText(), /\.text\.k0007_float/);
  // The filter finds kernels that were never in view.
  const names = page.getByRole("searchbox", { name: "Filter the structure by name" });
  await names.fill("k0555");
  await page.getByRole("status").getByText("1 match among the rows that are loaded").waitFor();
  await row(page, /^k0555/).waitFor();
  await names.fill("");
  // A file without kernels has only file order.
  await dropFile(page, fixture("zebin/nokernel.bmg.igc2.40.zebin"));
  await row(page, "ELF header").waitFor();
  await menu(page).click();
  assert.equal(await page.getByRole("radiogroup", { name: "Order" }).count(), 0);
});
