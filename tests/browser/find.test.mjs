// Find in code: kernels and instructions of a library, and the way to Assembly.

import assert from "node:assert/strict";
import path from "node:path";
import { axe, choose, dropFile, eventually, journey, screenshot } from "./harness.mjs";

const sample = (name) => path.join(import.meta.dirname, "../../www/samples", name);
const tab = (page, name) => page.getByRole("tab", { name: new RegExp(`^${name}`) });
const rows = (page) => page.locator("#found [data-row]");
const field = (page) => page.locator("#found-filter");

for (const scheme of ["light", "dark"]) {
  journey(`find in code, ${scheme}`, { width: 1440, height: 900, theme: scheme }, async (page) => {
    await dropFile(page, sample("spill.dg2.zebin"));
    await choose(tab(page, "Find in code"));
    await field(page).waitFor();
    await page.getByText("Type what to find").waitFor();
    await field(page).fill("marks=spill");
    await rows(page).first().waitFor();
    // The kernel comes first: it is what is asked for.
    const heads = page.locator("#found").getByRole("columnheader");
    await eventually(async () => (await heads.allInnerTexts()).slice(0, 2), ["Kernel", "Found"]);
    await axe(page);
    await screenshot(page, `find-${scheme}`);
  });
}

journey("each instruction leads to Assembly", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, sample("spill.dg2.zebin"));
  await choose(tab(page, "Find in code"));
  await field(page).fill("marks=spill loop>=1");
  await eventually(() => rows(page).count(), 1);
  await page.getByLabel("Rows").selectOption("instructions");
  await eventually(async () => (await rows(page).count()) > 3, true);
  const offset = await rows(page).nth(2).locator("[data-column]").nth(1).innerText().then((text) => text.replace(/^0x/, ""));
  await rows(page).nth(2).dblclick();
  await page.getByRole("tabpanel", { name: "Assembly" }).waitFor();
  await page.locator("#instructions [aria-selected='true']", { hasText: offset }).waitFor();
});

journey("a query that is malformed says so", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, sample("program.host"));
  await choose(tab(page, "Find in code"));
  await field(page).fill("kind=message");
  await rows(page).first().waitFor();
  await field(page).fill("kind=message then");
  await page.getByText("step 2 is empty").waitFor();
  await field(page).fill("marks=sampler kind=float");
  await page.getByText("Nothing found.").waitFor();
  assert.equal(await rows(page).count(), 0);
});
