// The modules of a SYCLBIN: graph, table, properties, images.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { axe, choose, dropBytes, dropFile, eventually, fixture, journey, screenshot, showAllPanes } from "./harness.mjs";

showAllPanes();

const SAMPLE = path.join(import.meta.dirname, "../../www/samples/matmul.syclbin");

const graph = (page) => page.locator("#graph");
const node = (page, text) => graph(page).locator(".node", { hasText: text });
const treeRow = (page) => page.locator("[role=treeitem][aria-selected=true]");
const tab = (page, name) => page.getByRole("tab", { name, exact: true });

async function open(page, file, panel = "Modules") {
  await dropFile(page, file);
  await page.locator(".crumb", { hasText: path.basename(file) }).waitFor();
  await choose(tab(page, panel));
}

for (const theme of ["light", "dark"]) {
  journey(`the graph of modules and their properties, ${theme}`, { theme, width: 1440 }, async (page) => {
    await open(page, SAMPLE);
    await node(page, "abstract module 0").waitFor();
    await page.getByRole("status").getByText("12 abstract modules, 12 native images").waitFor();
    await axe(page);
    await screenshot(page, `modules-${theme}`);

    // Selecting an image selects it in all panes and shows its kernels.
    await node(page, "bmg_g21").click();
    await graph(page).locator(".node.sel", { hasText: "bmg_g21" }).waitFor();
    await treeRow(page).getByText("zebin 1.73").waitFor();
    await choose(tab(page, "Kernels"));
    await page.getByRole("grid", { name: "Kernels" }).getByText("matmul").waitFor();

    // The verdict of the image.
    await page.locator(".head-line .chips button", { hasText: "driver: loads" }).waitFor();

    // The selection of the tree is highlighted in the graph.
    await choose(tab(page, "Properties"));
    const grid = page.getByRole("grid", { name: "Properties" });
    await page.getByRole("button", { name: "File properties" }).click();
    await grid.getByText("state").first().waitFor();
    await axe(page);
    await screenshot(page, `properties-${theme}`);
    await grid.getByText("state").first().click();
    await choose(tab(page, "Modules"));
    await graph(page).locator(".node.sel", { hasText: "matmul.syclbin" }).waitFor();
  });
}

journey("the graph: keyboard, zoom, table, saving", { width: 1440 }, async (page) => {
  await open(page, SAMPLE);
  await node(page, "matmul.syclbin").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await graph(page).locator(".node.sel", { hasText: "abstract module 1" }).waitFor();
  const width = () => graph(page).evaluate((svg) => svg.getBoundingClientRect().width);
  const before = await width();
  await page.keyboard.press("+");
  await page.waitForFunction(
    (before) => document.querySelector("#graph").getBoundingClientRect().width > before,
    before,
  );
  await page.getByRole("button", { name: "Fit" }).click();

  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Save SVG" }).click(),
  ]);
  const svg = await readFile(await download.path(), "utf8");
  assert.ok(svg.startsWith("<svg ") && svg.endsWith("</svg>\n"));
  assert.ok(svg.includes("abstract module 11"));

  await page.getByRole("button", { name: "Table", exact: true }).click();
  const grid = page.getByRole("grid", { name: "Modules" });
  await page.locator("#modules [data-row='3']").waitFor();
  await axe(page);
  await screenshot(page, "modules-table");
  await grid.getByRole("columnheader", { name: /Size/ }).click();
  await page.locator("#modules [aria-sort=descending]").waitFor();
  await page.getByLabel("Filter modules").fill("bmg");
  await page.getByRole("status").getByText("1 of 12").waitFor();
  await eventually(() => page.locator("#modules [data-row]").count(), 1);
});

journey("a SYCLBIN of version 1 with imports", {}, async (page) => {
  await open(page, fixture("syclbin/v1_multi_direct.syclbin"));
  await node(page, "abstract module 0").waitFor();
  await axe(page);
  await screenshot(page, "modules-v1");
  await open(page, fixture("syclbin/v2_allprops.syclbin"), "Properties");
  await page.getByRole("grid", { name: "Properties" }).waitFor();
  await axe(page);
  await screenshot(page, "properties-all");
});

journey("a SYCLBIN in an archive: its modules and the way back", { width: 1440 }, async (page) => {
  const bytes = await readFile(SAMPLE);
  const field = (text, length) => String(text).padEnd(length);
  const header = `${field("matmul/", 16)}${field(0, 12)}${field(0, 6)}${field(0, 6)}${field(644, 8)}${field(bytes.length, 10)}\x60\n`;
  const archive = Buffer.concat([Buffer.from(`!<arch>\n${header}`), bytes]);
  await dropBytes(page, { "kernels.a": archive });
  await page.locator(".crumb", { hasText: "kernels.a" }).waitFor();
  // A document within it has modules.
  await eventually(() => tab(page, "Modules").count(), 1);

  // The nested document is named next to the file and has its own panels.
  await page.getByRole("treeitem", { name: /SYCLBIN 2/ }).click();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("treeitem", { name: /SYCLBIN 2/ }).nth(1).click();
  const way = page.getByRole("navigation", { name: "Location" });
  // Names are those in the containers; the title describes the format.
  await way.getByTitle(/SYCLBIN 2/).getByRole("button", { name: "matmul", exact: true }).waitFor();
  await choose(tab(page, "Modules"));
  await node(page, "bmg_g21").click();
  await way.getByTitle(/zebin 1\.73/).getByRole("button", { name: /native device code image/ }).waitFor();
  await axe(page);
  await screenshot(page, "nested");
  await way.getByRole("button", { name: "matmul", exact: true }).click();
  await graph(page).locator(".node.sel", { hasText: "SYCLBIN 2" }).waitFor();
  await way.getByRole("button", { name: "kernels.a" }).click();
  await treeRow(page).getByText("kernels.a").waitFor();
});
