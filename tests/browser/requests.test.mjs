// Requests of the page to the decoder: one per user action.

import assert from "node:assert/strict";
import path from "node:path";
import { choose, dropFile, eventually, fixture, journey, showAllPanes } from "./harness.mjs";
import { watchRequests } from "./protocol.mjs";

showAllPanes();

const SAMPLES = path.join(import.meta.dirname, "../../www/samples");

/**
 * The requests from an action until its effect is visible, without those for bytes and tree rows
 * that come into view.
 */
async function asked(page, act, seen) {
  await settled(page);
  await page.evaluate(() => { globalThis.requests.length = 0; });
  await act();
  await seen();
  await settled(page);
  const requests = await page.evaluate(() => globalThis.requests);
  return requests.filter((request, i) => request !== "Bytes" && !(request === "Rows" && i > 0));
}

/** Waits until all requests are answered and none follows from the answers. */
function settled(page) {
  return eventually(() => page.evaluate(async () => {
    const posted = globalThis.requests.length;
    const isIdle = () => globalThis.requests.length === posted && globalThis.workers.every(({ pending }) => pending === 0);
    if (!isIdle()) return false;
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    return isIdle();
  }), (isSettled) => isSettled);
}

const row = (page, name) => page.getByRole("treeitem", { name });
const tab = (page, name) => page.getByRole("tab", { name, exact: true });
const selected = (page) => page.locator("[role=treeitem][aria-selected=true]");
const current = (page, list, number) => page.locator(`#${list} [data-row='${number}'][aria-selected=true]`);
const options = { before: watchRequests, width: 1440 };

journey("selecting a tree row, a cell or a kernel sends one request", options, async (page) => {
  await dropFile(page, path.join(SAMPLES, "spill.dg2.zebin"));
  await row(page, /^\.ze_info/).waitFor();
  await page.locator(".head-line .chips button", { hasText: "driver" }).waitFor();
  const inspector = (name) => page.locator(".insp h2", { hasText: name }).waitFor();

  assert.deepEqual(await asked(page, () => row(page, /^\.ze_info/).click(), () => inspector(".ze_info")), ["Select"]);
  const expand = () => page.keyboard.press("ArrowRight");
  assert.deepEqual(await asked(page, expand, () => row(page, /^kernels/).first().waitFor()), ["Rows"]);
  const list = () => page.locator("#kernels [data-row='2']").waitFor();
  // The rows, and then their figures: as many requests as the analysis takes steps.
  const lists = await asked(page, () => choose(tab(page, "Kernels")), list);
  assert.deepEqual([lists.length > 1, ...new Set(lists)], [true, "List"]);
  // Once they are known, nothing is requested again.
  await asked(page, () => choose(tab(page, "Overview")), () => page.getByRole("heading", { name: "Verdict" }).waitFor());
  assert.deepEqual(await asked(page, () => choose(tab(page, "Kernels")), list), []);

  const cell = page.locator("#kernels [data-row='2'] [role=gridcell]", { hasText: "3 328" });
  const both = async () => {
    await inspector("spill_size");
    await current(page, "kernels", 2).waitFor();
  };
  assert.deepEqual(await asked(page, () => cell.click(), both), ["Select"]);
  const text = () => page.locator("#kernels [data-row='1'] [role=gridcell]").first().click();
  assert.deepEqual(await asked(page, text, () => current(page, "kernels", 1).waitFor()), ["Select"]);

  const heading = (name) => page.getByRole("heading", { name, level: 2, exact: true }).first().waitFor();
  assert.deepEqual(await asked(page, () => page.getByRole("region", { name: "Selected kernel" }).getByRole("button", { name: "Arguments" }).click(), () => heading("hugeprivate")), ["Occupancy"]);
  const next = () => page.getByRole("button", { name: "Next kernel" }).click();
  assert.deepEqual(await asked(page, next, () => heading("spill")), ["Select", "Occupancy"]);
});

journey("modules: one request for the graph and one per selection", options, async (page) => {
  await dropFile(page, path.join(SAMPLES, "matmul.syclbin"));
  await tab(page, "Modules").waitFor();
  const node = (name) => page.locator("#graph .node", { hasText: name });
  const shown = () => node("abstract module 0").waitFor();
  assert.deepEqual(await asked(page, () => choose(tab(page, "Modules")), shown), ["Graph"]);
  const is = () => page.locator("#graph .node.sel", { hasText: "abstract module 1" }).first().waitFor();
  assert.deepEqual(await asked(page, () => node("abstract module 1").first().click(), is), ["Select"]);
  const properties = () => page.getByRole("grid", { name: "Properties" }).locator("[data-row]").first().waitFor();
  const requests = await asked(page, () => choose(tab(page, "Properties")), properties);
  assert.deepEqual(requests, ["List", "List"]);
});

journey("relocations and text: one request per selection", options, async (page) => {
  await dropFile(page, fixture("zebin/funcs-stackcall.cri.igc2.40.zebin"));
  await row(page, "ELF header").waitFor();
  await choose(tab(page, "Relocations"));
  const cells = (number) => page.locator(`#relocations [data-row='${number}'] [role=gridcell]`);
  await cells(2).first().waitFor();
  const chosen = (number) => () => current(page, "relocations", number).waitFor();
  assert.deepEqual(await asked(page, () => cells(2).first().click(), chosen(2)), ["Select"]);
  await choose(tab(page, "Text"));
  const line = page.locator("#lines [data-row]", { hasText: "simd_size:" }).first();
  const number = await line.getAttribute("data-row");
  const seen = async () => {
    await current(page, "lines", number).waitFor();
    await eventually(() => selected(page).innerText(), /simd_size/);
  };
  assert.deepEqual(await asked(page, () => line.click(), seen), ["Select"]);
});
