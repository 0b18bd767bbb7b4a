// SYCLBIN: nested containers, and the meaning of properties.

import path from "node:path";
import { axe, dropFile, journey, screenshot } from "./harness.mjs";

const FIXTURES = path.join(import.meta.dirname, "../fixtures/syclbin");

const row = (page, name) => page.getByRole("treeitem", { name });

/** Expands a visible row of the tree. */
async function expand(page, name) {
  await row(page, name).first().click();
  await page.keyboard.press("ArrowRight");
}

for (const theme of ["light", "dark"]) {
  journey(`properties of a module, ${theme}`, { theme }, async (page) => {
    await dropFile(page, path.join(FIXTURES, "v2_allprops.syclbin"));
    await row(page, /^entries/).waitFor();
    await expand(page, /^abstract module 0 metadata/);
    await expand(page, /^SYCL\/device requirements/);
    await row(page, /^aspects.*fp64/).waitFor();
    await expand(page, /^aspects/);
    await row(page, /^encoded/).first().waitFor();
    await axe(page);
    await screenshot(page, `properties-${theme}`);
  });
}

journey("device code in a table of SYCLBIN version 1", {}, async (page) => {
  await dropFile(page, path.join(FIXTURES, "v1f_allprops.syclbin"));
  await expand(page, /^binary table/);
  await expand(page, /^IR module 0/);
  await row(page, /^capabilities/).waitFor();
});
