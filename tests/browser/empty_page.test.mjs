// The page before a file is open.

import assert from "node:assert/strict";
import { axe, journey, screenshot } from "./harness.mjs";

for (const theme of ["light", "dark"]) {
  journey(`the empty page loads, in ${theme}`, { theme }, async (page) => {
    assert.equal(await page.title(), "zeview");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await axe(page);
    await screenshot(page, `empty-${theme}`);
  });
}

journey("a remembered theme is set before the first paint", { storage: { "zeview.theme": "dark" } }, async (page) => {
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
});
