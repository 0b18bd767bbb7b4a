// Answers that arrive later than their questions: until then nothing is known, and nothing else is shown.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { choose, dropBytes, dropFile, eventually, fixture, journey, screenshot, showAllPanes } from "./harness.mjs";
import { zip } from "./zip.mjs";

showAllPanes();

const sample = (name) => path.join(import.meta.dirname, "../../www/samples", name);
const tab = (page, name) => page.getByRole("tab", { name: new RegExp(`^${name}`) });
const panel = (page, name) => page.getByRole("tabpanel", { name });

/** The decoder answers so late that the journey sees what is shown meanwhile. */
const slow = { slowDecoder: 1500, width: 1440, height: 900 };

/**
 * Notes, from now on, every text that the element shows; `seen` returns them. `select` is evaluated again
 * for each, because elements may be replaced.
 */
async function note(page, select) {
  await page.evaluate((select) => {
    globalThis.seen = [];
    const look = () => {
      const text = [...document.querySelectorAll(select)].filter((element) => element.checkVisibility({ opacityProperty: true }))
        .map((element) => element.innerText).join("\n");
      if (text !== seen.at(-1)) seen.push(text);
    };
    look();
    setInterval(look, 20);
  }, select);
  return () => page.evaluate(() => globalThis.seen);
}

journey("the verdict of the previous GPU does not stay while the next one is computed", slow, async (page) => {
  await dropFile(page, sample("spill.dg2.zebin"));
  const verdict = page.locator(".verdict dd").last();
  await eventually(() => verdict.innerText(), /the file’s target/);
  const seen = await note(page, ".verdict dd:last-child > div, .chips .verdict");
  await page.getByLabel("Check another GPU").fill("pvc");
  await page.getByLabel("Check another GPU").press("Enter");
  await eventually(() => verdict.innerText(), /not known yet on pvc/);
  await screenshot(page, "late-verdict");
  // The field keeps its focus.
  assert.equal(await page.evaluate(() => document.activeElement.id), "device");
  await eventually(() => verdict.innerText(), /on pvc \(selected device\)/);
  const texts = await seen();
  const pending = texts.slice(texts.findIndex((text) => text.includes("not known yet")));
  for (const text of pending) assert.doesNotMatch(text, /dg2|the file’s target/);
  // And back.
  await page.getByRole("button", { name: /Back to the/ }).click();
  await eventually(() => verdict.innerText(), /not known yet/);
  assert.doesNotMatch(await verdict.innerText(), /pvc/);
});

journey("a wheel that was not read yet knows every GPU", { ...slow, slowDecoder: 500 }, async (page) => {
  const wheel = zip({ "lib/vecadd.zebin": await readFile(sample("vecadd.bmg.zebin")), "lib/notes.txt": Buffer.from("notes") });
  await dropBytes(page, { "kernels-1.0-py3-none-any.whl": wheel });
  await page.getByLabel("Check a GPU").waitFor();
  const seen = await note(page, ".verdict, .verdict-title, .chips");
  await page.getByLabel("Check a GPU").fill("B580");
  await page.getByLabel("Check a GPU").press("Enter");
  // It is read first, then answered.
  await page.locator(".verdict").getByText(/^loads on bmg-g21|loads.* on bmg-g21/).first().waitFor();
  const texts = (await seen()).join("\n");
  assert.doesNotMatch(texts, /no device is called|no image runs/);
  assert.match(texts, /not known yet/);
  await page.getByLabel("Check a GPU").fill("B58");
  await page.getByLabel("Check a GPU").press("Enter");
  await page.getByText("no device is called").waitFor();
});

journey("the listing of one kernel does not stand under the inspector of another one", slow, async (page) => {
  await dropFile(page, sample("spill.dg2.zebin"));
  await page.getByRole("treeitem", { name: /^\.text\.bigprivate/ }).click();
  await choose(tab(page, "Assembly"));
  await page.locator("#instructions [data-row]").first().waitFor();
  const shown = () => page.locator("select.code-section").evaluate((select) => select.selectedOptions[0]?.text);
  await eventually(shown, "bigprivate");
  const heading = page.locator("#pane-inspector .insp h2");
  await page.getByRole("treeitem", { name: /^\.text\.hugeprivate/ }).click();
  await eventually(() => heading.innerText(), /hugeprivate/);
  // At once it is marked, and then it vanishes.
  const opacity = () => page.locator(".panel.codes .rows-and-strip").evaluate((rows) => getComputedStyle(rows).opacity);
  assert.equal(await page.locator(".panel.codes").getAttribute("aria-busy"), "true");
  await eventually(opacity, "0");
  await screenshot(page, "late-listing");
  await eventually(shown, "hugeprivate");
  await eventually(opacity, "1");
});

journey("the details of one row do not stand over the inspector of another one", slow, async (page) => {
  await dropFile(page, sample("spill.dg2.zebin"));
  await page.getByRole("treeitem", { name: /^\.text\.bigprivate/ }).click();
  await choose(tab(page, "Arguments"));
  await panel(page, "Arguments").getByRole("heading", { name: "bigprivate" }).waitFor();
  await page.getByRole("treeitem", { name: /^\.text\.hugeprivate/ }).click();
  const kernel = page.locator(".panel.kernel");
  await eventually(() => kernel.getAttribute("aria-busy"), "true");
  // That code belongs to no row, so the kernel stays.
  await eventually(() => kernel.getAttribute("aria-busy"), null);
});

journey("results of a search do not stand under another text, and are not chosen for it", slow, async (page) => {
  await dropFile(page, sample("spill.dg2.zebin"));
  const field = page.getByRole("combobox", { name: /Search/ });
  const hits = page.locator(".hits .hit");
  await field.fill("bigprivate");
  await hits.first().waitFor();
  const selected = () => page.locator(".status .mono").first().innerText();
  const before = await selected();
  await field.fill("hugeprivate");
  // Before the search of the new text begins.
  await field.press("Enter");
  await eventually(() => hits.count(), 0);
  assert.equal(await selected(), before);
  await eventually(() => hits.count(), (count) => count > 0);
  assert.match((await hits.first().innerText()), /hugeprivate/);
});

journey("the occupancy for other parameters is not known until it arrives", slow, async (page) => {
  await dropFile(page, sample("spill.dg2.zebin"));
  await choose(tab(page, "Arguments"));
  const occupancy = page.getByRole("region", { name: "Occupancy" });
  const said = () => occupancy.getByRole("status").innerText();
  await eventually(said, /thread|work-group/i);
  await occupancy.getByLabel("Device", { exact: true }).fill("pvc");
  await occupancy.getByLabel("Device", { exact: true }).press("Enter");
  await eventually(said, "not known yet …");
  await eventually(said, /thread|work-group/i);
});

journey("the result of a comparison does not stand under another one", slow, async (page) => {
  await dropBytes(page, {
    "before.zebin": await readFile(sample("vecadd-O0.bmg.zebin")),
    "after.zebin": await readFile(sample("vecadd.bmg.zebin")),
  });
  const said = page.locator(".compare-head .said");
  const toggle = page.getByRole("button", { name: "Ignore register renaming" });
  await toggle.waitFor();
  await eventually(() => said.innerText(), /differ|changed/);
  await toggle.focus();
  await toggle.press("Enter");
  await eventually(() => said.innerText(), "Comparing …");
  assert.equal(await page.locator(".compare .late").count() > 0, true);
  await eventually(() => said.innerText(), /differ|changed/);
  assert.equal(await page.evaluate(() => document.activeElement.innerText), "Ignore register renaming");
});

journey("there is no count of matches before they are counted", slow, async (page) => {
  await dropFile(page, sample("spill.dg2.zebin"));
  await choose(tab(page, "Kernels"));
  const status = panel(page, "Kernels").locator(".filters [role=status]").first();
  await eventually(() => status.innerText(), /kernels$/);
  await page.getByLabel("Filter kernels").fill("hugeprivate");
  await eventually(() => status.innerText(), "…");
  await eventually(() => status.innerText(), /^1 of /);
});

journey("problems are none only when the driver model has answered", slow, async (page) => {
  await dropFile(page, sample("vecadd.bmg.zebin"));
  await choose(tab(page, "Problems"));
  const problems = panel(page, "Problems");
  const seen = await note(page, "#panel");
  await eventually(() => problems.innerText(), (text) => !text.includes("not known yet") && text.length > 0);
  const texts = await seen();
  const none = texts.findIndex((text) => text.includes("No problems found"));
  const pending = texts.findIndex((text) => text.includes("not known yet"));
  assert.ok(none < 0 || pending >= 0 && pending < none, JSON.stringify(texts));
});

journey("a library's survey has no zeros and no “none” before all images are read", { ...slow, slowDecoder: 300 }, async (page) => {
  await dropFile(page, fixture("host/v3_old_so_relr_stripped.host"));
  const seen = await note(page, ".survey, section[aria-labelledby=survey-title]");
  const section = page.getByRole("region", { name: "Native code" });
  await eventually(async () => (await section.innerText()).includes("not known yet") || await section.locator("progress").count() > 0, false);
  assert.ok((await seen()).some((text) => text.includes("not known yet")));
});
