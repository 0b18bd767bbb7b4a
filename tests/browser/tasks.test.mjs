// Twelve typical tasks, each using only roles and names as users see them, within a limit of
// clicks.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { contextOf, dropBytes, dropFile, eventually, expectRequests, fixture, journey, level, load, showAllPanes } from "./harness.mjs";

showAllPanes();

const SAMPLES = path.join(import.meta.dirname, "../../www/samples");
const sample = (name) => path.join(SAMPLES, name);

/** A journey with a maximum number of clicks. */
function task(name, clicks, options, run) {
  journey(name, { width: 1440, height: 900, ...options }, async (page) => {
    let taken = 0;
    const click = async (locator, options) => {
      taken += options?.clickCount ?? 1;
      await locator.click(options);
    };
    await run(page, click);
    assert.ok(taken <= clicks, `${taken} clicks instead of ${clicks}`);
    console.log(`# ${name}: ${taken} clicks`);
  });
}

const tab = (page, name) => page.getByRole("tab", { name, exact: true });

/** Chooses the tab of a panel, and its level if that is another one: each is a click. */
async function open(page, click, name) {
  const to = tab(page, name);
  const above = level(to);
  if ((await above.getAttribute("aria-selected")) !== "true") await click(above);
  if ((await to.getAttribute("aria-selected")) !== "true") await click(to);
}

const tree = (page) => page.getByRole("tree");
const selectedRow = (page) => page.getByRole("treeitem", { selected: true });
const kernels = (page) => page.getByRole("grid", { name: "Kernels" });

/** The text on the clipboard. */
const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());
const withClipboard = {
  before: (page) => contextOf(page).grantPermissions(["clipboard-read", "clipboard-write"]),
};

const SPILL = sample("spill.dg2.zebin");

task("1: a table of the spilling kernels for a report", 6, withClipboard, async (page, click) => {
  await dropFile(page, SPILL);
  await open(page, click, "Kernels");
  await click(kernels(page).getByRole("columnheader", { name: /^Spill/ }).first());
  // The largest come first.
  await kernels(page).getByRole("row").nth(1).getByText("3 328").waitFor();
  await page.getByRole("searchbox", { name: "Filter kernels" }).fill("spill_size > 0");
  await page.getByText("1 of 3 kernels").waitFor();
  await click(page.getByText("Export", { exact: true }));
  await click(page.getByRole("button", { name: "Copy as Markdown" }));
  await eventually(() => clipboard(page), /\| spill \|.*3328/);
  await click(page.getByText("Export", { exact: true }));
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    click(page.getByRole("button", { name: "Save as CSV" })),
  ]);
  const csv = (await readFile(await download.path(), "utf8")).trim().split("\n");
  assert.equal(csv.length, 2, "the filter holds for what is saved");
});

task("2: from an argument to the bytes of its offset", 4, {}, async (page, click) => {
  await dropFile(page, SPILL);
  await open(page, click, "Kernels");
  await click(kernels(page).getByRole("row", { name: /^spill/ }));
  await click(page.getByRole("region", { name: "Selected kernel" }).getByRole("button", { name: "Arguments" }));
  const payload = page.getByRole("table", { name: /payload entries/ });
  const entry = payload.getByRole("row", { name: /arg_bypointer/ }).first();
  await click(entry.getByRole("button").first());
  await eventually(() => selectedRow(page).innerText(), /^offset/);
  await page.getByRole("tree").getByRole("treeitem", { name: /argument 0 · offset/ }).first().waitFor();
});

task("3: whether and why a file for Ponte Vecchio runs on Battlemage", 1, {}, async (page, click) => {
  await dropFile(page, fixture("zebin/empty.pvc.igc2.40.zebin"));
  const device = page.getByLabel("Check another GPU");
  await click(device);
  await device.fill("Battlemage");
  await device.press("Enter");
  await page.getByRole("banner").getByRole("button", { name: /driver: recompiled on bmg-g21/ }).waitFor();
  // Both numbers, in one sentence.
  await page.getByRole("tabpanel", { name: "Overview" }).getByText(/built for pvc \(12\.60\.7\); bmg-g21 is 20\.1\.0/).first().waitFor();
});

task("4: the target of a relocation and the references to a symbol", 5, {}, async (page, click) => {
  await dropFile(page, fixture("zebin/funcs-stackcall.cri.igc2.40.zebin"));
  await open(page, click, "Relocations");
  const relocations = page.getByRole("grid", { name: "Relocations" });
  await click(relocations.getByRole("row").nth(1).getByRole("gridcell").first());
  const strip = page.getByRole("region", { name: "Selected relocation" });
  await strip.getByText("patches").first().waitFor();
  await click(strip.getByRole("listitem").filter({ hasText: "symbol" }).getByRole("button").first());
  await open(page, click, "Symbols");
  await page.getByRole("region", { name: "Selected symbol" }).getByRole("button", { name: /relocations?$/ }).waitFor();
});

task("5: the kernels of a SYCLBIN, and the image that runs on a device", 2, {}, async (page, click) => {
  await dropFile(page, sample("matmul.syclbin"));
  await open(page, click, "Kernels");
  const first = kernels(page).getByRole("row", { name: /matmul/ }).first();
  await first.getByRole("gridcell", { name: /^image \d+/ }).waitFor();
  await open(page, click, "Modules");
  await page.getByRole("status").getByText("12 abstract modules, 12 native images").waitFor();
});

task("6: the source line of an instruction", 3, {}, async (page, click) => {
  await dropFile(page, fixture("zebin/debugme.tgllp.igc1.12504.zebin"));
  await click(page.getByRole("treeitem", { name: /^\.text\.step/ }));
  await page.keyboard.press("ArrowRight");
  await click(page.getByRole("treeitem", { name: /^step/ }));
  await page.keyboard.press("ArrowRight");
  await click(page.getByRole("treeitem", { name: /^\+0x138/ }));
  await page.getByRole("complementary").or(page.getByRole("region")).getByText("debugme.cl:6").first().waitFor();
});

task("7: searching for the number 40 and the next match", 1, {}, async (page, click) => {
  await dropFile(page, SPILL);
  await tree(page).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("offset 40");
  await page.getByRole("option").first().waitFor();
  await click(page.getByRole("option").first());
  await eventually(() => selectedRow(page).innerText(), /^offset\s*40/);
});

task("8: a link to a value of a dropped file", 2, withClipboard, async (page, click) => {
  expectRequests(page, /./);
  await dropFile(page, SPILL);
  await open(page, click, "Kernels");
  await kernels(page).getByRole("row", { name: /^spill/ }).getByRole("gridcell", { name: /3 328/ }).click();
  await eventually(() => selectedRow(page).innerText(), /^spill_size/);
  await click(page.getByRole("button", { name: "Copy link" }));
  await eventually(() => clipboard(page), /k=spill&f=spill_size/);
  const link = await clipboard(page);
  await page.goto("about:blank");
  await load(page, () => page.goto(link));
  await page.getByText(/spill\.dg2\.zebin/).first().waitFor();
  await dropFile(page, SPILL);
  await eventually(() => selectedRow(page).innerText(), /^spill_size/);
  await page.getByRole("tab", { name: "Kernels", selected: true }).waitFor();
});

task("9: a kernel's bytes, keyboard only", 0, {}, async (page) => {
  await dropFile(page, SPILL);
  await page.getByRole("treeitem", { name: "ELF header" }).waitFor();
  await tree(page).focus();
  // Move to the panel first: in the tree, a digit starts a search by name.
  await page.keyboard.press("F6");
  await page.keyboard.press("2");
  await kernels(page).getByRole("row").nth(1).waitFor();
  await kernels(page).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("tab", { name: "Assembly", selected: true }).waitFor();
  await page.keyboard.press("F6");
  assert.notEqual(await page.evaluate(() => document.activeElement.tagName), "BODY");
});

task("10: opening a picture", 0, {}, async (page) => {
  const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  await dropBytes(page, { "picture.png": Buffer.concat([png, Buffer.alloc(100, 7)]) });
  await page.getByText("not a GPU binary that zeview reads").first().waitFor();
  assert.equal(await page.getByText(/well-formed|driver:/).count(), 0);
});

for (const width of [420, 700]) {
  task(`11: the verdict in a window of ${width} pixels`, 0, { width }, async (page) => {
    await dropFile(page, SPILL);
    await page.getByRole("button", { name: /driver: loads/ }).waitFor();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  });
}

task("12: a file embedded in documentation", 1, {
  address: "?embed=1&panes=structure,bytes,inspector&url=samples/vecadd.bmg.zebin",
  before: (page) => expectRequests(page, /samples/),
}, async (page, click) => {
  await page.getByRole("treeitem", { name: "ELF header" }).waitFor();
  await click(page.getByRole("treeitem", { name: /^\.ze_info/ }));
  await eventually(() => selectedRow(page).innerText(), /^\.ze_info/);
});
