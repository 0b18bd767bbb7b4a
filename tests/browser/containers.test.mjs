// Containers: the kernels of all images, the image that runs on a device, all devices.

import assert from "node:assert/strict";
import path from "node:path";
import { axe, choose, dropFile, eventually, journey, screenshot } from "./harness.mjs";

const FAT = path.join(import.meta.dirname, "../fixtures/zebin/vecadd-fatnoir.dg2+pvc.igc2.40.zebin");

const tab = (page, name) => page.getByRole("tab", { name, exact: true });
const panel = (page, name) => page.getByRole("tabpanel", { name });
const chip = (page, text) => page.locator(".head-line .chips button", { hasText: text });
const cell = (page, list, row, column) => page.locator(`#${list} [data-row='${row}'] [data-column='${column}']`);

for (const theme of ["light", "dark"]) {
  journey(`the image that runs on a device, ${theme}`, { theme }, async (page) => {
    await dropFile(page, FAT);
    const overview = panel(page, "Overview");
    await overview.getByRole("heading", { name: "2 images" }).waitFor();
    await overview.getByText("Choose a GPU").waitFor();
    await axe(page);
    await screenshot(page, `container-${theme}`);
    const device = page.getByLabel("Check a GPU", { exact: true });
    await device.fill("Max 1100");
    await device.press("Enter");
    await overview.getByText("on pvc (selected device)").waitFor();
    await overview.getByText("loads: named for 12.60.7").waitFor();
    await chip(page, "driver: loads on pvc").waitFor();
    await axe(page);
    await screenshot(page, `container-device-${theme}`);

    // The list of images is for the same device.
    await overview.getByRole("button", { name: "All images" }).click();
    await cell(page, "images", 1, 0).getByText("64.12.60.7").waitFor();
    await page.locator("#images").getByText("named for 12.60.7").waitFor();
    await screenshot(page, `images-${theme}`);
    await axe(page);

    // An image shows its name and its verdict for that device.
    await cell(page, "images", 0, 0).click();
    await page.locator(".nested .crumb", { hasText: "64.dg2" }).waitFor();
    await choose(tab(page, "Overview"));
    await chip(page, "driver: refused on pvc").waitFor();
    await overview.getByRole("heading", { name: "zebin 1.73" }).waitFor();
    await overview.getByText("pvc is 12.60.7").waitFor();
    await screenshot(page, `image-${theme}`);
  });

  journey(`all devices of a container, ${theme}`, { theme }, async (page) => {
    await dropFile(page, FAT);
    await choose(tab(page, "Devices"));
    await page.locator("#devices").getByText("does not run").first().waitFor();
    await axe(page);
    await screenshot(page, `devices-container-${theme}`);
    // pvc, and for dg2 the devices that are compatible with acm-g10.
    await page.getByLabel("Filter devices").fill("verdict=loads");
    await eventually(() => page.locator("#devices [data-row]").count(), 4);
    // A row selects its device.
    await page.locator("#devices [data-row='0']").dblclick();
    await panel(page, "Overview").getByText("(selected device)").waitFor();
  });
}

journey("all devices of a zebin", {}, async (page) => {
  await dropFile(page, path.join(import.meta.dirname, "../../www/samples/vecadd.bmg.zebin"));
  await choose(tab(page, "Devices"));
  await page.locator("#devices").getByText("pvc is 12.60.7").waitFor();
  await screenshot(page, "devices-zebin");
});

journey("the kernels of all images", {}, async (page) => {
  await dropFile(page, FAT);
  await choose(tab(page, "Kernels"));
  await page.locator("#kernels [data-row='1'] [role=gridcell]").getByText("64.12.60.7").waitFor();
  await cell(page, "kernels", 1, 2).getByText("pvc").waitFor();
  await axe(page);
  // A row selects the kernel in its image, and the table stays.
  await cell(page, "kernels", 1, 3).click();
  await page.locator(".nested .crumb", { hasText: "64.12.60.7" }).waitFor();
  await page.locator("#kernels [data-row='1'][aria-selected=true]").waitFor();
  assert.equal(await page.locator("#kernels [data-row]").count(), 2);
  await screenshot(page, "container-kernels");
  await page.locator("#kernels [data-row='0']").dblclick();
  await panel(page, "Assembly").waitFor();
  // Beside code, the image is a choice.
  await eventually(() => page.getByRole("combobox", { name: "Image" }).evaluate((select) => select.selectedOptions[0].textContent), /64\.dg2/);
  // The image has its own kernels, and a link back.
  await choose(tab(page, "Kernels"));
  await page.locator(".nested button", { hasText: "64.dg2" }).click();
  await eventually(() => page.locator("#kernels [data-row]").count(), 1);
  await page.getByRole("button", { name: "All images" }).click();
  await eventually(() => page.locator("#kernels [data-row]").count(), 2);
});

journey("a container in a narrow window", { width: 420 }, async (page) => {
  await dropFile(page, FAT);
  await choose(tab(page, "Overview"));
  await panel(page, "Overview").getByRole("heading", { name: "2 images" }).waitFor();
  await screenshot(page, "container-narrow");
  await choose(tab(page, "Devices"));
  await page.locator("#devices [data-row]").first().waitFor();
  await screenshot(page, "devices-narrow");
});
