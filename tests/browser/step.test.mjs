// A kernel in step: source, SPIR-V and instructions side by side.

import assert from "node:assert/strict";
import path from "node:path";
import { axe, choose, dropFile, eventually, journey, screenshot } from "./harness.mjs";
import { watchRequests } from "./protocol.mjs";

const sample = (name) => path.join(import.meta.dirname, "../../www/samples", name);

async function opened(page) {
  await dropFile(page, sample("debugme.bmg.zebin"));
  await choose(page.getByRole("tab", { name: "Assembly" }));
  await dropFile(page, sample("debugme.cl"));
  await choose(page.getByRole("tab", { name: "Step", exact: true }));
  await page.locator(".step-line .text", { hasText: "OpFunctionParameter" }).first().waitFor();
}

const column = (page, name) => page.getByRole("region", { name, exact: true });
const line = (page, name, text) => column(page, name).locator(".step-line", { hasText: text }).first();

journey("lines of a kernel belong together", async (page) => {
  await opened(page);
  await page.getByText("tied by source lines").waitFor();
  // From the source to the others.
  await line(page, "debugme.cl", "float v2 = dot").click();
  await eventually(() => column(page, "SPIR-V").locator(".step-line.found", { hasText: "OpDot" }).count(), 1);
  await eventually(async () => (await column(page, "Instructions").locator(".step-line.found", { hasText: "mad (" }).count()) > 0, true);
  // From an instruction, whose bytes are selected.
  await column(page, "Instructions").locator(".step-line.found", { hasText: "mad (" }).first().click();
  await eventually(() => column(page, "debugme.cl").locator(".step-line.found", { hasText: "float v2 = dot" }).count(), 1);
  // From the SPIR-V.
  await line(page, "SPIR-V", "OpFMul").click();
  await eventually(() => column(page, "debugme.cl").locator(".step-line.found", { hasText: "float v2 = dot" }).count(), 1);
  // Pointing marks the others.
  await line(page, "SPIR-V", "OpDot").hover();
  await eventually(() => column(page, "debugme.cl").locator(".step-line.lit").count(), 1);
});

journey("columns are shown and hidden by key", async (page) => {
  await opened(page);
  await column(page, "SPIR-V").getByRole("listbox").focus();
  await page.keyboard.press("2");
  await eventually(() => column(page, "SPIR-V").count(), 0);
  await page.getByRole("button", { name: "SPIR-V", exact: true }).click();
  await column(page, "SPIR-V").waitFor();
  await column(page, "Instructions").getByRole("listbox").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await eventually(() => column(page, "Instructions").locator("[aria-selected=true]").count(), 1);
});

journey("a key counts before the lines are read", { before: (page) => watchRequests(page, { StepLines: 1500 }) }, async (page) => {
  await dropFile(page, sample("debugme.bmg.zebin"));
  await choose(page.getByRole("tab", { name: "Step", exact: true }));
  const instructions = column(page, "Instructions");
  await instructions.getByRole("listbox").focus();
  await page.keyboard.press("Home");
  await eventually(() => instructions.locator("[aria-selected=true]").count(), 1);
  // It is no line yet; what belongs to it follows.
  assert.equal(await instructions.getByRole("option", { selected: true }).innerText(), "…");
  await eventually(() => instructions.getByRole("option", { selected: true }).innerText(), /mov/);
  await eventually(async () => (await instructions.locator(".step-line.found").count()) > 1, true);
});

journey("columns stay as they are when a source is added", async (page) => {
  await dropFile(page, sample("debugme.bmg.zebin"));
  await choose(page.getByRole("tab", { name: "Step", exact: true }));
  const instructions = column(page, "Instructions");
  await page.getByRole("button", { name: "SPIR-V", exact: true }).click();
  await eventually(() => column(page, "SPIR-V").count(), 0);
  await line(page, "Instructions", "mad (").click();
  const chosen = await instructions.getByRole("option", { selected: true }).getAttribute("data-line");
  await page.evaluate(() => { document.activeElement.isTheSame = true; });
  await dropFile(page, sample("debugme.cl"));
  await column(page, "debugme.cl").locator(".step-line.found").first().waitFor();
  assert.equal(await column(page, "SPIR-V").count(), 0);
  assert.equal(await instructions.getByRole("option", { selected: true }).getAttribute("data-line"), chosen);
  assert.equal(await page.evaluate(() => document.activeElement.isTheSame), true);
});

journey("what is selected elsewhere is found in step", async (page) => {
  await opened(page);
  await choose(page.getByRole("tab", { name: "Assembly" }));
  await page.getByRole("row", { name: /mad \(16/ }).first().click();
  await choose(page.getByRole("tab", { name: "Step", exact: true }));
  await eventually(async () => (await page.locator(".step-line.found").count()) > 0, true);
});

journey("without debug information, names tie the columns", async (page) => {
  await dropFile(page, sample("vecadd.bmg.zebin"));
  await choose(page.getByRole("tab", { name: "Step", exact: true }));
  await page.getByText("tied by names").waitFor();
  await page.getByText("tied by name only").waitFor();
});

for (const theme of ["light", "dark"]) {
  for (const [width, height] of [[1440, 900], [1920, 1080]]) {
    journey(`in step, ${theme}, ${width} px`, { theme, width, height }, async (page) => {
      await opened(page);
      await line(page, "debugme.cl", "float v2 = dot").click();
      await eventually(() => column(page, "SPIR-V").locator(".step-line.found", { hasText: "OpDot" }).count(), 1);
      await axe(page);
      await screenshot(page, `step-${theme}-${width}`);
    });
  }
}
