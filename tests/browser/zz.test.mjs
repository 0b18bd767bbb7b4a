import { readFile } from "node:fs/promises";
import path from "node:path";
import { dropBytes, fixture, journey, screenshot } from "./harness.mjs";
const SAMPLES = path.join(import.meta.dirname, "../../www/samples");
const spill = await readFile(path.join(SAMPLES, "spill.dg2.zebin"));
const other = await readFile(fixture("zebin/spill.nvl-p.igc2.40.zebin"));
const Z = "/work/shared/samples/zebin/";
for (const [width, height] of [[1600, 1000], [1000, 800], [700, 900], [420, 900]]) for (const theme of ["light", "dark"]) {
  journey(`compare ${width} ${theme}`, { width, height, theme }, async (page) => {
    await dropBytes(page, { "spill-before.zebin": spill, "spill-after.zebin": other });
    await page.getByRole("grid", { name: "Difference", exact: true }).locator("[data-row]").first().waitFor();
    await page.waitForTimeout(400);
    await screenshot(page, `zz-compare-${width}-${theme}`);
  });
}
journey("same compiler, other options", { width: 1600, height: 1000 }, async (page) => {
  await dropBytes(page, { "vecadd.zebin": await readFile(Z + "vecadd.bmg.igc2.40.zebin"), "vecadd-O0.zebin": await readFile(Z + "vecadd-O0.bmg.igc2.40.zebin") });
  await page.getByRole("grid", { name: "Difference", exact: true }).locator("[data-row]").first().waitFor();
  await page.waitForTimeout(400);
  await screenshot(page, `zz-compare-options`);
});
journey("chooser", { width: 1000, height: 800 }, async (page) => {
  await dropBytes(page, { "a.zebin": spill });
  await page.getByRole("tab", { name: "Compare" }).click();
  await page.waitForTimeout(300);
  await screenshot(page, `zz-chooser`);
});
