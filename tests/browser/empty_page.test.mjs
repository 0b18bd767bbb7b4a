// The page before a file is open.

import assert from "node:assert/strict";
import { axe, expectRequests, journey, screenshot } from "./harness.mjs";

for (const theme of ["light", "dark"]) {
  journey(`the empty page loads, ${theme}`, { theme }, async (page) => {
    assert.equal(await page.title(), "zeview");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await axe(page);
    await screenshot(page, `empty-${theme}`);
  });
}

journey("a stored theme is set before the first paint", { storage: { "zeview.theme": "dark" } }, async (page) => {
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
});

journey("samples: two builds are compared, and a host program lists its images", {}, async (page) => {
  expectRequests(page, /samples\//);
  await page.getByRole("button", { name: /Host program/ }).click();
  await page.getByText("3 device images").first().waitFor();
  await page.getByRole("button", { name: "zeview", exact: true }).click();
  await page.getByRole("button", { name: /Two builds, compared/ }).click();
  await page.getByRole("tab", { name: /Compare/, selected: true }).waitFor();
  await page.getByRole("gridcell", { name: /private_size 512 → 0/ }).waitFor();
});

journey("the start page leads to the documentation, and the tab is named after the file", {}, async (page) => {
  for (const name of ["What is a zebin?", "Documentation"]) {
    const href = await page.getByRole("link", { name }).getAttribute("href");
    assert.match(href, /^docs\/[a-z]+\.html$/);
  }
  expectRequests(page, /samples\//);
  await page.getByRole("button", { name: /Host program/ }).click();
  await page.getByText("3 device images").first().waitFor();
  assert.equal(await page.title(), "program.host · zeview");
  await page.getByRole("button", { name: "zeview", exact: true }).click();
  await page.getByRole("heading", { name: /^Drop a/ }).waitFor();
  assert.equal(await page.title(), "zeview");
});
