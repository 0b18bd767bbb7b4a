// Libraries and programs with device images: overview, images, kernels, and the image that runs on a
// device.

import assert from "node:assert/strict";
import { axe, choose, dropFile, eventually, fixture, journey, screenshot } from "./harness.mjs";

const LIBRARY = fixture("host/v3_old_so_relr_stripped.host");
const WITHOUT_SECTIONS = fixture("host/v2_old_so_noshdr.host");

const tab = (page, name) => page.getByRole("tab", { name, exact: true });
const panel = (page, name) => page.getByRole("tabpanel", { name });
const cell = (page, list, row, column) =>
  page.locator(`#${list} [data-row='${row}'] [data-column='${column}']`);

for (const theme of ["light", "dark"]) {
  journey(`a library's overview starts with its device images, ${theme}`, { theme }, async (page) => {
    await dropFile(page, LIBRARY);
    const overview = panel(page, "Overview");
    await overview.getByRole("heading", { name: "ELF with device images" }).waitFor();
    await overview.getByRole("heading", { name: /device images$/ }).last().waitFor();
    // The host's own sections are in a collapsed group.
    const sizes = overview.getByRole("columnheader", { name: "Area" });
    assert.equal(await sizes.isVisible(), false);
    await axe(page);
    await screenshot(page, `host-overview-${theme}`);
    await overview.getByText("Bytes", { exact: true }).click();
    await sizes.waitFor();
    await axe(page);
  });

  journey(`the images of a library, ${theme}`, { theme }, async (page) => {
    await dropFile(page, LIBRARY);
    await choose(tab(page, "Images"));
    await cell(page, "images", 0, 0).getByText("image 0").waitFor();
    const count = await page.locator("#images [data-row]").count();
    assert.ok(count > 1);
    await axe(page);
    await screenshot(page, `host-images-${theme}`);

    // A row describes the image and links to its kernels.
    await cell(page, "images", 0, 0).click();
    const strip = page.getByRole("region", { name: "Selected image" });
    await strip.getByText("image struct").waitFor();
    await axe(page);
    await screenshot(page, `host-image-${theme}`);
    await strip.getByRole("button", { name: /kernels?$/ }).click();
    await cell(page, "kernels", 0, 0).waitFor();
    assert.equal(await page.getByLabel("Filter kernels").inputValue(), 'image="image 0"');
    await axe(page);
  });
}

journey("images are filtered and sorted", async (page) => {
  await dropFile(page, LIBRARY);
  await choose(tab(page, "Images"));
  await cell(page, "images", 0, 0).waitFor();
  const all = await page.locator("#images [data-row]").count();
  await page.getByLabel("Filter images").fill("kBig");
  await eventually(() => page.locator("#images [data-row]").count(), 1);
  await page.getByLabel("Filter images").fill("");
  await eventually(() => page.locator("#images [data-row]").count(), all);
  await page.locator("#images").getByRole("columnheader", { name: /Size/ }).click();
  // The largest comes first; sizes are after decompression.
  await cell(page, "images", 0, 0).getByText("image 0").waitFor();
  await page.locator("#images").getByRole("columnheader", { name: /Stored/ }).click();
  await cell(page, "images", 0, 0).getByText("image 2").waitFor();
});

for (const theme of ["light", "dark"]) {
  journey(`the images of a library as a graph, ${theme}`, { theme, width: 1440 }, async (page) => {
    await dropFile(page, LIBRARY);
    await choose(tab(page, "Images"));
    await cell(page, "images", 0, 0).waitFor();
    await panel(page, "Images").getByRole("button", { name: "Graph", exact: true }).click();
    const graph = page.locator("#graph");
    const node = (text) => graph.locator(".node", { hasText: text });
    await panel(page, "Images").getByText("3 device images, 3 IR images").waitFor();
    await node("image 1").waitFor();
    await node("SPIR-V · spir64").first().click();
    await graph.locator(".node.sel", { hasText: "SPIR-V · spir64" }).waitFor();
    await axe(page);
    await screenshot(page, `host-graph-${theme}`);
    await panel(page, "Images").getByRole("button", { name: "Table", exact: true }).click();
    await cell(page, "images", 0, 0).waitFor();
  });
}

journey("the kernels of native and SPIR-V images", async (page) => {
  await dropFile(page, LIBRARY);
  await choose(tab(page, "Kernels"));
  await cell(page, "kernels", 0, 0).waitFor();
  await page.getByRole("columnheader", { name: /Image/ }).waitFor();
  await axe(page);
  await screenshot(page, "host-kernels");
});

journey("the image of a library that runs on a device", async (page) => {
  await dropFile(page, LIBRARY);
  const device = page.getByLabel("Check a GPU", { exact: true });
  await device.fill("pvc");
  await device.press("Enter");
  await panel(page, "Overview").getByText("on pvc (selected device)").waitFor();
  await choose(tab(page, "Images"));
  await page.getByRole("columnheader", { name: "Reason" }).waitFor();
  await axe(page);
  await screenshot(page, "host-device");
  await choose(tab(page, "Devices"));
  await cell(page, "devices", 0, 0).waitFor();
  await axe(page);
});

journey("a library without section headers in a narrow window", { width: 700 }, async (page) => {
  await dropFile(page, WITHOUT_SECTIONS);
  await choose(tab(page, "Images"));
  await cell(page, "images", 0, 0).getByText("image 0").waitFor();
  await axe(page);
  await screenshot(page, "host-narrow");
});
