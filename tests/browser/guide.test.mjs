// The tour of a sample for new users.

import assert from "node:assert/strict";
import { axe, eventually, expectRequests, journey, screenshot } from "./harness.mjs";

const TITLES = ["A file at a glance", "All kernels in one table", "Every value has its bytes", "The machine code"];

const look = (page) => page.getByRole("region", { name: "Tour" });
const press = (page, name) => look(page).getByRole("button", { name }).click();

async function begin(page) {
  expectRequests(page, /samples\/spill\.dg2\.zebin/);
  await page.getByRole("button", { name: /Take the tour/ }).click();
  await look(page).getByRole("heading", { name: TITLES[0] }).waitFor();
}

const SIZES = [
  ["light", 1440, 900],
  ["dark", 1000, 700],
  ["light", 420, 800],
];

for (const [theme, width, height] of SIZES) {
  journey(`each step of the tour highlights its subject, ${theme}, ${width} px`, { theme, width, height, storage: { "zeview.panes": "" } }, async (page) => {
    await screenshot(page, `guide-0-${width}`);
    await begin(page);
    const seen = [
      // In a narrow window, the tree is one of the tabs, and the first one.
      () => page.getByRole("heading", { name: "Verdict" }).or(page.getByRole("treeitem", { name: /^\.ze_info/ })).first().waitFor(),
      () => page.getByRole("row", { name: /^spill\b/ }).first().waitFor(),
      () => eventually(() => page.locator("#hex .h .fs").allTextContents().then((marks) => marks.join("").replace(/\s/g, "")), "33333238"),
      () => page.getByRole("grid", { name: "Assembly" }).locator("[aria-selected=true]").getByText("288", { exact: true }).first().waitFor(),
    ];
    for (const [step, title] of TITLES.entries()) {
      await look(page).getByRole("heading", { name: `${step + 1} of 4 ${title}` }).waitFor();
      await seen[step]();
      await axe(page);
      await screenshot(page, `guide-${step + 1}-${width}`);
      if (step < 3) await press(page, "Next");
    }
    await press(page, "Back");
    await look(page).getByRole("heading", { name: TITLES[2] }).waitFor();
    await press(page, "Next");
    await press(page, "Done");
    await look(page).waitFor({ state: "detached" });
  });
}

journey("the tour of a library shows its GPUs, its kernels and the code of a build", { width: 1440, height: 900, storage: { "zeview.panes": "" } }, async (page) => {
  expectRequests(page, /samples\/program\.host/);
  await page.getByRole("button", { name: /Tour of a library/ }).click();
  const steps = [
    ["A library at a glance", () => page.getByRole("region", { name: "Kernel families" }).getByText("spill").first().waitFor()],
    ["Will it run on my GPU?", () => page.getByRole("grid", { name: "Images" }).getByText(/named for 20\.1\.0/).first().waitFor()],
    ["The kernels of all images", () => page.locator("#kernels [data-row='0']").getByText("spill").first().waitFor()],
    ["The code of one build", () => page.getByRole("group", { name: "Figures" }).getByText(/175 spills/).waitFor()],
  ];
  for (const [step, [title, seen]] of steps.entries()) {
    await look(page).getByRole("heading", { name: `${step + 1} of 4 ${title}` }).waitFor();
    await seen();
    await axe(page);
    if (step < 3) await press(page, "Next");
  }
  await press(page, "Done");
  await look(page).waitFor({ state: "detached" });
});

journey("the tour can be left at any step and ends with its file", {}, async (page) => {
  await begin(page);
  await press(page, "Skip");
  await look(page).waitFor({ state: "detached" });
  // Its file is open now, so it starts immediately.
  await page.getByRole("button", { name: "zeview", exact: true }).click();
  await begin(page);
  await press(page, "Next");
  await eventually(() => page.evaluate(() => location.hash), /panel=kernels/);
  await page.getByRole("button", { name: "zeview", exact: true }).click();
  await look(page).waitFor({ state: "detached" });
});

journey("the file's panes stay as they are when the tour ends", {}, async (page) => {
  await begin(page);
  const panes = await page.locator("main").elementHandle();
  await press(page, "Skip");
  await look(page).waitFor({ state: "detached" });
  assert.ok(await panes.evaluate((panes) => panes.isConnected));
});
