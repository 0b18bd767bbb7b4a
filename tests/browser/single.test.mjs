// The page as a single file, opened from disk.

import assert from "node:assert/strict";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { axe, choose, contextOf, dropFile, expectErrors, journey, load, screenshot } from "./harness.mjs";

const HERE = import.meta.dirname;
const SINGLE = path.resolve(process.env.ZEVIEW_SINGLE ?? path.join(HERE, "../../target/single/zeview.html"));
const sample = (name) => path.join(HERE, "../../www/samples", name);

journey("the single-file page opens files without a server", {}, async (page) => {
  await contextOf(page).setOffline(true);
  await load(page, () => page.goto(pathToFileURL(SINGLE).href), { until: "started" });
  assert.equal(await page.getByRole("button", { name: /SYCLBIN/ }).count(), 0, "there are no samples");
  await screenshot(page, "single-empty");
  await dropFile(page, sample("spill.dg2.zebin"));
  await choose(page.getByRole("tab", { name: "Problems" }));
  await page.getByRole("treeitem", { name: "ELF header" }).click();
  await choose(page.getByRole("tab", { name: /Kernels/ }));
  await page.getByRole("gridcell", { name: "hugeprivate" }).first().click();
  await choose(page.getByRole("tab", { name: /Assembly/ }));
  await page.getByRole("grid").getByText(/mov|add/).first().waitFor();
  await axe(page);
  await screenshot(page, "single");
  // The decoder runs in a worker.
  const workers = page.workers().length;
  assert.ok(workers >= 1, `${workers} workers`);
});

journey("the single-file page reports why it cannot start", {}, async (page) => {
  await page.addInitScript(() => delete globalThis.DecompressionStream);
  expectErrors(page, /DecompressionStream is not defined/);
  await page.goto(pathToFileURL(SINGLE).href);
  await page.getByRole("status").getByText("zeview could not start: ReferenceError: DecompressionStream is not defined").waitFor();
});
