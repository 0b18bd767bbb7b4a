// Accessibility: axe-core reports no violation in any state of the page, in light, dark and forced colors.

import path from "node:path";
import { axe, choose, dropBytes, dropFile, fixture, journey } from "./harness.mjs";

const sample = (name) => path.join(import.meta.dirname, "../../www/samples", name);
const FAT = fixture("zebin/vecadd-fatnoir.dg2+pvc.igc2.40.zebin");
const LINES = fixture("zebin/debugme.tgllp.igc1.12504.zebin");

const tab = (page, name) => page.getByRole("tablist", { name: "Panels" }).getByRole("tab", { name });
const panel = (page, name) => page.getByRole("tabpanel", { name });

/** Shows a panel and waits until its table has rows. */
async function rows(page, name) {
  await choose(tab(page, name));
  await panel(page, name).getByRole("row").nth(1).waitFor();
}

/** The states in order: a name, and the steps from the previous state. */
const FIRST = [
  ["the empty page", async () => {}],
  ["an unknown format", async (page) => {
    await dropBytes(page, { "letter.txt": Buffer.from("Dear reader,\nthis is a letter.\n".repeat(40)) });
    await panel(page, "Overview").getByText("not a GPU binary").first().waitFor();
  }],
  ["a damaged file", async (page) => {
    const zebin = Buffer.alloc(200, 0xff);
    zebin.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
    await dropBytes(page, { "damaged.zebin": zebin });
    await choose(tab(page, /^Problems/));
    await panel(page, "Problems").getByText("driver/").first().waitFor();
  }],
  ["an overview", async (page) => {
    await dropFile(page, sample("spill.dg2.zebin"));
    await panel(page, "Overview").getByRole("heading", { name: "zebin 1.73" }).waitFor();
  }],
  ["kernels", (page) => rows(page, "Kernels")],
  ["a filter that is not understood", async (page) => {
    await page.getByRole("searchbox", { name: "Filter kernels" }).fill("spill >");
    await panel(page, "Kernels").getByRole("alert").waitFor();
  }],
  ["arguments", async (page) => {
    await page.getByRole("searchbox", { name: "Filter kernels" }).fill("");
    await panel(page, "Kernels").getByRole("gridcell").first().click();
    await choose(tab(page, "Arguments"));
    await panel(page, "Arguments").getByRole("heading", { level: 2 }).waitFor();
  }],
  ["assembly", (page) => rows(page, "Assembly")],
  ["the graph of a kernel", async (page) => {
    await panel(page, "Assembly").getByRole("button", { name: "Graph", exact: true }).click();
    await panel(page, "Assembly").getByRole("group", { name: "Control-flow graph" }).waitFor();
  }],
  ["relocations", (page) => rows(page, "Relocations")],
];

const SECOND = [
  ["symbols", async (page) => {
    await dropFile(page, sample("spill.dg2.zebin"));
    await rows(page, "Symbols");
  }],
  ["devices", (page) => rows(page, "Devices")],
  ["text", async (page) => {
    await choose(tab(page, "Text"));
    await panel(page, "Text").getByText("kernels:").first().waitFor();
  }],
  ["search", async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("simd_size");
    await page.getByRole("option").first().waitFor();
  }],
  ["help", async (page) => {
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Help" }).click();
    await page.getByRole("dialog").waitFor();
  }],
  ["source lines", async (page) => {
    await page.keyboard.press("Escape");
    await dropFile(page, LINES);
    await rows(page, "Source");
  }],
  ["a container", async (page) => {
    await dropFile(page, FAT);
    await panel(page, "Overview").getByRole("heading", { name: "2 images" }).waitFor();
  }],
  ["images", (page) => rows(page, "Images")],
  ["kernels of all images", (page) => rows(page, "Kernels")],
  ["modules and their graph", async (page) => {
    await dropFile(page, sample("matmul.syclbin"));
    await choose(tab(page, "Modules"));
    await panel(page, "Modules").getByRole("button").first().waitFor();
  }],
];

const MODES = { light: { theme: "light" }, dark: { theme: "dark" }, "forced colors": { forcedColors: true } };
for (const [mode, options] of Object.entries(MODES)) {
  for (const states of [FIRST, SECOND]) {
    const name = `no accessibility violations from ${states[0][0]} to ${states.at(-1)[0]}, ${mode}`;
    journey(name, { width: 1440, height: 900, ...options }, async (page) => {
      for (const [state, show] of states) {
        try {
          await show(page);
          await axe(page);
        } catch (error) {
          error.message = `${state}: ${error.message}`;
          throw error;
        }
      }
    });
  }
}
