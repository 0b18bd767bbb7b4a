// Panes: which are visible, how they are toggled, and the resulting layout.

import assert from "node:assert/strict";
import path from "node:path";
import { readFile } from "node:fs/promises";
import { axe, choose, dropBytes, dropFile, eventually, expectRequests, fixture, journey, load, screenshot, showCodeStart } from "./harness.mjs";

const SAMPLES = path.join(import.meta.dirname, "../../www/samples");
const sample = (name) => path.join(SAMPLES, name);
const SPILL = sample("spill.dg2.zebin");
const MANY = sample("kernels600.dg2.zebin");

const tab = (page, name) => page.getByRole("tab", { name, exact: true });
const tree = (page) => page.getByRole("tree");
const bytes = (page) => page.getByRole("grid", { name: "Bytes" });
const inspector = (page) => page.getByRole("region", { name: "Inspector" });
const pane = (page, name) => page.getByRole("group", { name: "Panes" }).getByRole("button", { name });
const shown = async (page) => [await tree(page).count(), await bytes(page).count(), await inspector(page).count()];

/** The fully visible rows of a grid. */
const rowsInView = (page, id) =>
  page.locator(`#${id}`).evaluate((grid) => {
    const area = grid.getBoundingClientRect();
    const head = grid.querySelector(".grid-head")?.getBoundingClientRect().height ?? 0;
    const rows = [...grid.querySelectorAll("[data-row]")].map((row) => row.getBoundingClientRect());
    return rows.filter((row) => row.top >= area.top + head - 1 && row.bottom <= area.bottom + 1).length;
  });

journey("panels about all kernels use the whole window; those about the file show its bytes", { width: 1440, height: 900, storage: { "zeview.panes": "" } }, async (page) => {
  await dropFile(page, MANY);
  await page.getByRole("heading", { name: "Verdict" }).waitFor();
  assert.deepEqual(await shown(page), [0, 0, 0]);
  await choose(tab(page, "Problems"));
  await tree(page).waitFor();
  assert.deepEqual(await shown(page), [1, 1, 1]);
  await choose(tab(page, "Kernels"));
  await page.locator("#kernels [data-row='20']").waitFor();
  assert.deepEqual(await shown(page), [0, 0, 0]);
  const kernels = await rowsInView(page, "kernels");
  assert.ok(kernels >= 28, `${kernels} rows`);
  // No row requires a selection.
  assert.equal(await page.getByText(/to see what belongs/).count(), 0);
  await choose(tab(page, "Assembly"));
  await page.locator("#instructions [data-row='20']").waitFor();
  assert.deepEqual(await shown(page), [0, 0, 1]);
  const instructions = await rowsInView(page, "instructions");
  assert.ok(instructions >= 30, `${instructions} rows`);
  await axe(page);
});

for (const [file, width] of [[SPILL, 1440], [MANY, 1440], [SPILL, 1000]]) {
  journey(`no operand is cut off: ${path.basename(file)}, ${width} px`, { width, height: 900 }, async (page) => {
    await dropFile(page, file);
    await choose(tab(page, "Assembly"));
    await page.locator("#instructions [data-row] .asm").first().waitFor();
    const cut = () =>
      page.locator("#instructions").evaluate((grid) => {
        const area = grid.getBoundingClientRect();
        const texts = [...grid.querySelectorAll("[data-row] .asm")].filter((text) => text.querySelector("[data-part]"));
        const isCut = (text) => {
          const cell = text.closest("[role=gridcell]").getBoundingClientRect();
          const parts = [...text.querySelectorAll("[data-part]")];
          const right = Math.max(...parts.map((part) => part.getBoundingClientRect().right));
          return right > cell.right + 0.5 || right > area.right;
        };
        return texts.filter(isCut).map((text) => text.textContent);
      });
    // Where the code opens, and at its start.
    await page.getByRole("group", { name: "Figures" }).getByRole("button", { name: /live$/ }).waitFor();
    await eventually(cut, []);
    await showCodeStart(page);
    if (width === 1000) {
      // Next to the inspector.
      await inspector(page).waitFor();
      await page.locator("#instructions [data-row='5'] .asm").click();
    }
    await eventually(cut, []);
  });
}

journey("each pane is toggled by a key and a button, and remembered per panel", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, SPILL);
  await choose(tab(page, "Kernels"));
  await page.locator("#kernels [data-row='0']").waitFor();
  await page.keyboard.press("x");
  await eventually(() => shown(page), [0, 1, 0]);
  await page.keyboard.press("t");
  await eventually(() => shown(page), [1, 1, 0]);
  await page.keyboard.press("i");
  await eventually(() => shown(page), [1, 1, 1]);
  await pane(page, "Inspector").click();
  await eventually(() => shown(page), [1, 1, 0]);
  await pane(page, "Structure").click();
  await eventually(() => shown(page), [0, 1, 0]);
  assert.equal(await pane(page, "Structure").getAttribute("aria-pressed"), "false");
  // Another panel has its own panes.
  await choose(tab(page, "Overview"));
  await eventually(() => shown(page), [1, 1, 1]);
  await axe(page);
  await load(page, () => page.reload());
  await dropFile(page, SPILL);
  await choose(tab(page, "Kernels"));
  await eventually(() => shown(page), [0, 1, 0]);
});

journey("the panel is maximized and restored", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, SPILL);
  await choose(tab(page, "Arguments"));
  await page.getByRole("navigation", { name: "Kernels" }).waitFor();
  await eventually(() => shown(page), [0, 0, 1]);
  await page.keyboard.press("z");
  await eventually(() => shown(page), [0, 0, 0]);
  // In Kernels, which has no panes at first, details are below the rows while a row is selected.
  await choose(tab(page, "Kernels"));
  await page.locator("#kernels [data-row='0'] [data-column='0']").click();
  await page.getByRole("region", { name: "Selected kernel" }).waitFor();
  await axe(page);
  await page.keyboard.press("z");
  await eventually(() => shown(page), [1, 1, 1]);
  await inspector(page).getByRole("region", { name: "Selected kernel" }).waitFor();
});

journey("at least thirty kernels fit, with their figures", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, MANY);
  await choose(tab(page, "Kernels"));
  await page.locator("#kernels [data-row='20']").waitFor();
  await eventually(() => rowsInView(page, "kernels"), (count) => count >= 30);
  for (const title of ["Kernel", "GRF", "B/thread", "Live regs", "Loop", "Code"]) {
    await page.locator("#kernels [role=columnheader]", { hasText: title }).first().waitFor();
  }
  assert.ok(await page.locator("#kernels").evaluate((grid) => grid.scrollWidth <= grid.clientWidth), "no scrolling sideways");
});

journey("one keystroke or click shows the bytes of a value", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, SPILL);
  await choose(tab(page, "Kernels"));
  await page.locator("#kernels [data-row='0'] [data-column='2']").click();
  await page.keyboard.press("i");
  await inspector(page).getByRole("button", { name: /^0x[0-9a-f]+ … 0x/ }).click();
  await bytes(page).waitFor();
  await page.locator("#hex .h .fs").first().waitFor();
  await page.keyboard.press("x");
  await eventually(() => bytes(page).count(), 0);
  // Going to an offset shows its bytes.
  await page.keyboard.press("g");
  await page.getByRole("textbox", { name: /Offset/ }).fill("0x40");
  await page.keyboard.press("Enter");
  await bytes(page).waitFor();
});

journey("narrow window: the lower pane is toggled", { width: 700, height: 900 }, async (page) => {
  await dropFile(page, SPILL);
  await choose(tab(page, "Kernels"));
  await page.locator("#kernels [data-row='0']").waitFor();
  assert.equal(await bytes(page).count(), 0);
  await pane(page, "Bytes").click();
  await bytes(page).waitFor();
  await pane(page, "Inspector").click();
  await inspectorTab(page).waitFor();
  await eventually(() => bytes(page).count(), 0);
  await pane(page, "Inspector").click();
  await eventually(() => inspectorTab(page).count(), 0);
  await axe(page);
});

const inspectorTab = (page) => page.getByRole("tab", { name: "Inspector", selected: true });

for (const width of [700, 1440]) {
  journey(`at ${width} px the tabs of each level fit`, { width, height: 800 }, async (page) => {
    await dropFile(page, sample("matmul.syclbin"));
    const levels = page.getByRole("tablist", { name: "Level" }).getByRole("tab");
    await levels.first().waitFor();
    assert.deepEqual(await levels.allTextContents().then((names) => names.map((name) => name.replace(/\d+$/, ""))), ["Library", "Kernel", "File"]);
    for (const name of ["Problems", "Arguments", "Sizes"]) {
      await choose(tab(page, name));
      await eventually(() => tab(page, name).getAttribute("aria-selected"), "true");
      const tabs = page.getByRole("tablist", { name: "Panels" }).getByRole("tab");
      const last = await tabs.evaluateAll((tabs) => Math.max(...tabs.map((tab) => tab.getBoundingClientRect().right)));
      assert.ok(last <= width, `${name}: ${last}`);
    }
    // A level comes back to the panel that was shown there.
    await choose(tab(page, "Problems"));
    await levels.filter({ hasText: "Library" }).click();
    await eventually(() => tab(page, "Sizes").getAttribute("aria-selected"), "true");
    await axe(page);
  });
}

// -- Assembly of images ------------------------------------------------------------------------

const grid = (page) => page.getByRole("grid", { name: "Assembly" });
const code = (page) => page.getByRole("combobox", { name: "Code" });
const image = (page) => page.getByRole("combobox", { name: "Image" });

journey("host program: from a kernel to its assembly, the bytes of an instruction, and its text", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, sample("program.host"));
  await tab(page, "Kernel").waitFor();
  await choose(tab(page, "Kernels"));
  const native = page.locator("#kernels [role=row][data-row]").filter({ hasText: "acm" });
  await native.first().waitFor();
  await native.first().getByRole("gridcell").first().click();
  await page.getByRole("region", { name: "Selected kernel" }).getByRole("button", { name: /^Assembly/ }).waitFor();
  await page.keyboard.press("Enter");
  await grid(page).getByRole("row").nth(1).waitFor();
  await eventually(() => tab(page, "Assembly").getAttribute("aria-selected"), "true");
  await showCodeStart(page);
  // To the bytes of an instruction, and back from a byte.
  await grid(page).getByRole("row").nth(2).getByRole("gridcell").first().click();
  await page.keyboard.press("x");
  await page.locator("#hex .h .fs, #hex .h .fw, #hex .h .fh").first().waitFor();
  await eventually(() => grid(page).locator("[data-row='1'][aria-selected=true]").count(), 1);
  await axe(page);
  await screenshot(page, "host-assembly");
  await choose(tab(page, "Text"));
  await page.getByRole("combobox", { name: "Text", exact: true }).waitFor();
});

journey("a file without code of its own offers its images", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, sample("matmul.syclbin"));
  await choose(tab(page, "Assembly"));
  await page.getByText(/The file itself has no instructions/).waitFor();
  await axe(page);
  await screenshot(page, "assembly-choice");
  const panel = page.getByRole("tabpanel", { name: "Assembly" });
  await panel.locator(".rows button").nth(1).click();
  await grid(page).getByRole("row").nth(1).waitFor();
  const chosen = () => image(page).evaluate((select) => select.selectedOptions[0].textContent);
  const second = await chosen();
  // Another image: the listing is its own.
  await image(page).selectOption({ index: 3 });
  await eventually(async () => (await chosen()) !== second, true);
  const address = () => page.evaluate(() => location.hash);
  await eventually(address, /native|image|code/);
});

journey("selecting another image in the tree shows its listing", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, sample("matmul.syclbin"));
  await choose(tab(page, "Kernels"));
  await page.locator("#kernels [data-row='2'] [data-column='0']").click();
  await page.getByRole("region", { name: "Selected kernel" }).waitFor();
  await page.keyboard.press("Enter");
  await grid(page).getByRole("row").nth(1).waitFor();
  const chosen = () => image(page).evaluate((select) => select.selectedOptions[0].textContent);
  await eventually(chosen, /image 2\b/);
  await page.keyboard.press("t");
  await page.getByRole("treeitem", { name: /native device code image 0|image 0/ }).first().click();
  await eventually(chosen, /image 0\b/);
  await grid(page).getByRole("row").nth(1).waitFor();
});

journey("a click selects the instruction, a second one its operand", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, SPILL);
  await choose(tab(page, "Assembly"));
  await showCodeStart(page);
  const row = grid(page).getByRole("row").nth(4);
  const part = row.locator("[data-part]").nth(2);
  const heading = () => inspector(page).getByRole("heading", { level: 2 }).allTextContents();
  await part.click();
  await eventually(async () => (await heading()).some((text) => /^\+0x/.test(text)), true);
  const scrolled = await page.locator("#instructions").evaluate((element) => element.scrollLeft);
  assert.equal(scrolled, 0);
  await page.waitForTimeout(600);
  await part.click();
  await eventually(async () => (await heading()).some((text) => /^\+0x/.test(text)), false);
});

journey("Go to accepts labels and offsets as in the listing", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, SPILL);
  await choose(tab(page, "Assembly"));
  await code(page).selectOption({ label: "spill" });
  await eventually(() => code(page).evaluate((select) => select.selectedOptions[0].textContent), "spill");
  // Digits without a prefix; a letter for spills follows.
  const selected = async () => `0x${/[0-9a-f]+/.exec(await grid(page).locator("[aria-selected=true] .at").textContent())[0]}`;
  const go = async (typed) => {
    await page.keyboard.press("g");
    await page.getByRole("textbox", { name: /Offset/ }).fill(typed);
    await page.keyboard.press("Enter");
  };
  await grid(page).focus();
  await go("0x288");
  await eventually(selected, "0x288");
  await go("+0x20");
  await eventually(selected, /0x20|0x18/);
  // Labels are those of copied assembly.
  const target = await grid(page).locator(".target .at").first().textContent();
  const at = Number(`0x${/[0-9a-f]+/.exec(target)[0]}`);
  await go(`L${at}`);
  await eventually(selected, `0x${at.toString(16)}`);
  // `file:` marks an offset in the file.
  await go("file:0x40");
  await bytes(page).waitFor();
});

journey("regressions are red, improvements green, other differences uncolored", { width: 1440, height: 900 }, async (page) => {
  const files = ["vecadd-O0.bmg.zebin", "vecadd.bmg.zebin"];
  const [before, after] = await Promise.all(files.map((name) => readFile(sample(name))));
  await dropBytes(page, { "after.zebin": after, "before.zebin": before });
  const row = page.locator("#changes [data-row]").filter({ has: page.getByText("worse", { exact: true }) }).or(
    page.locator("#changes [data-row]").filter({ has: page.getByText("better", { exact: true }) }));
  await row.first().waitFor();
  for (const found of await row.all()) {
    const isWorse = (await found.getByText("worse", { exact: true }).count()) > 0;
    const isRemoved = (await found.getByText("removed", { exact: true }).count()) > 0;
    assert.equal(await found.locator(isWorse ? ".side.worse" : ".side.better").count(), isRemoved ? 0 : 1);
    assert.equal(await found.locator(isWorse ? ".side.better" : ".side.worse").count(), 0);
  }
});

journey("a condition with a short column name works; an error hides the row count", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, SPILL);
  await choose(tab(page, "Kernels"));
  await page.getByLabel("Filter kernels").fill("spill>0");
  await page.getByText(/^1 of 3 kernels/).waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
  // An error hides the row count.
  await page.getByLabel("Filter kernels").fill("req>0");
  await page.getByRole("alert").waitFor();
  assert.equal(await page.getByText(/0 of 3/).count(), 0);
});

journey("menus of a list are drawn above other content", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, SPILL);
  await choose(tab(page, "Assembly"));
  await page.getByText("Columns", { exact: true }).click();
  const pop = page.locator(".listing > .filters .menu[open] .pop");
  await pop.waitFor();
  const isOver = await pop.evaluate((element) => {
    const area = element.getBoundingClientRect();
    const places = [0.1, 0.3, 0.5, 0.9].map((share) => [area.left + area.width / 2, area.top + area.height * share]);
    return places.every(([x, y]) => element.contains(document.elementFromPoint(x, y)));
  });
  assert.ok(isOver);
});

journey("the instruction mix is fully visible", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, SPILL);
  await choose(tab(page, "Assembly"));
  await page.getByRole("button", { name: /of code$/ }).click();
  const mix = page.getByRole("region", { name: "Instruction mix" });
  await mix.getByRole("table", { name: "Instructions by kind" }).waitFor();
  const box = await mix.boundingBox();
  assert.ok(box.y + box.height <= 900 && box.height > 100);
  // All of it can be scrolled to.
  await mix.getByText(/^Static count/).scrollIntoViewIfNeeded();
  await axe(page);
});
