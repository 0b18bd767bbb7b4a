// Use of the page: links, copying, focus, the tree's filter, columns.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { withKernels } from "./generated.mjs";
import { axe, choose, dropBytes, dropFile, dropFromDisk, eventually, expectRequests, journey, load, screenshot, showAllPanes } from "./harness.mjs";

showAllPanes();

const SAMPLES = path.join(import.meta.dirname, "../../www/samples");
const sample = (name) => path.join(SAMPLES, name);

const grid = (page, name = "Kernels") => page.getByRole("grid", { name, exact: true });
const row = (page, index) => page.getByRole("row").and(page.locator(`#kernels [data-row="${index}"]`));
const panelTab = (page, name) => page.getByRole("tablist", { name: "Panels" }).getByRole("tab", { name });
const filter = (page) => page.getByRole("searchbox", { name: "Filter kernels" });
const hash = (page) => page.evaluate(() => decodeURIComponent(location.hash));

async function kernels(page, name) {
  await dropFile(page, sample(name));
  await choose(panelTab(page, "Kernels"));
  await row(page, 0).waitFor();
}

/** Records copied text. */
async function watchClipboard(page) {
  await page.evaluate(() => {
    globalThis.copied = [];
    const writeText = async (text) => { globalThis.copied.push(text); };
    Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
  });
}

async function copied(page, count) {
  await page.waitForFunction((count) => globalThis.copied.length === count, count);
  return page.evaluate(() => globalThis.copied.at(-1));
}

/** Checks that panel, filter, order and the selection of `spill` are as in the link. */
async function isRestored(page) {
  await page.getByRole("tab", { name: "Kernels", selected: true }).waitFor();
  await eventually(() => filter(page).inputValue(), "spill_size>0");
  await page.locator("#kernels [role=columnheader][aria-sort=descending]", { hasText: "Spill" }).first().waitFor();
  await page.locator("#kernels [role=row][aria-selected=true]", { hasText: "spill" }).waitFor();
  await page.getByRole("treeitem", { selected: true }).getByText("spill_size").waitFor();
}

journey("a link restores panel, filter, order and selection of a dropped file", {}, async (page) => {
  await kernels(page, "spill.dg2.zebin");
  await watchClipboard(page);
  await filter(page).fill("spill_size>0");
  await eventually(() => page.locator("#kernels [data-row]").count(), 1);
  const spill = page.locator("#kernels [role=columnheader]", { hasText: "Spill" }).first();
  await spill.click();
  await page.locator("#kernels [data-row='0'] [role=gridcell]", { hasText: "3 328" }).click();
  await eventually(() => hash(page), /k=spill&f=spill_size&panel=kernels&filter=spill_size>0&sort=-spill_size/);
  await page.getByRole("button", { name: "Copy link" }).click();
  const link = await copied(page, 1);
  assert.match(link, /#n=spill\.dg2\.zebin&k=spill/);
  await page.goto("about:blank");
  await load(page, () => page.goto(link));
  await page.getByText("This link points to spill_size of kernel spill. Open “spill.dg2.zebin” to see it.").waitFor();
  await dropFile(page, sample("spill.dg2.zebin"));
  await isRestored(page);
});

journey("after a reload the start page names the file that it cannot read again", {}, async (page) => {
  const name = "spill.dg2.zebin";
  await dropFile(page, sample(name));
  await page.getByRole("tab", { name: "Kernels", exact: true }).waitFor();
  await page.waitForFunction((name) => String(history.state).endsWith(name), name);
  await load(page, () => page.reload());
  await page.getByText(`A reloaded page cannot read local files. Open “${name}” again.`).waitFor();
  await kernels(page, name);
  await page.locator("#kernels [role=gridcell]", { hasText: "3 328" }).click();
  await eventually(() => hash(page), /k=spill&f=spill_size/);
  await load(page, () => page.reload());
  await page.getByText(`This link points to spill_size of kernel spill. Open “${name}” to see it.`).waitFor();
  await dropFile(page, sample(name));
  await page.getByRole("button", { name: "Close the file" }).click();
  await page.getByText("No file at hand?").waitFor();
  await eventually(() => page.getByText(`“${name}”`).count(), 0);
});

journey("a pending link opens with a sample and applies its device", {
  address: "#k=spill&f=spill_size&panel=kernels&filter=spill_size%3E0&sort=-spill_size&device=pvc",
}, async (page) => {
  expectRequests(page, /samples\//);
  await page.getByRole("button", { name: "Spilling kernels · Arc" }).click();
  await isRestored(page);
  await page.getByRole("list", { name: "Summary" }).getByText(/on pvc/).waitFor();
  await eventually(() => page.url(), /\?url=samples\/spill.*device=pvc/);
});

journey("Back steps through panels and selections, not through typed text", {}, async (page) => {
  await kernels(page, "spill.dg2.zebin");
  await eventually(() => hash(page), "#panel=kernels");
  const before = await page.evaluate(() => history.length);
  await filter(page).pressSequentially("spill", { delay: 60 });
  await eventually(() => hash(page), "#panel=kernels&filter=spill");
  assert.equal(await page.evaluate(() => history.length), before);
  // The level shows its first panel.
  await page.getByRole("tab", { name: "File", exact: true }).click();
  await eventually(() => hash(page), /panel=problems/);
  await choose(panelTab(page, "Symbols"));
  await eventually(() => hash(page), /panel=symbols/);
  await page.goBack();
  await page.getByRole("tab", { name: "Problems", selected: true }).waitFor();
  await page.goBack();
  await page.getByRole("tab", { name: "Kernels", selected: true }).waitFor();
  await eventually(() => filter(page).inputValue(), "spill");
  await page.goBack();
  await page.getByRole("tab", { name: "Overview", selected: true }).waitFor();
  await page.goForward();
  await page.getByRole("tab", { name: "Kernels", selected: true }).waitFor();
  await eventually(() => hash(page), "#panel=kernels&filter=spill");
  await page.goForward();
  await page.getByRole("tab", { name: "Problems", selected: true }).waitFor();
  await page.goForward();
  await page.getByRole("tab", { name: "Symbols", selected: true }).waitFor();
});

journey("Ctrl+C copies the cell or the rows selected with Shift", { width: 1440 }, async (page) => {
  await kernels(page, "kernels600.dg2.zebin");
  await watchClipboard(page);
  await row(page, 1).getByRole("gridcell").first().click();
  await page.keyboard.press("Control+c");
  assert.match(await copied(page, 1), /^k0001_float/);
  await row(page, 3).getByRole("gridcell").first().click({ modifiers: ["Shift"] });
  await eventually(() => page.locator("#kernels [role=row][aria-selected=true]").count(), 3);
  await page.keyboard.press("Control+c");
  const rows = (await copied(page, 2)).replace(/\n$/, "").split("\n").map((line) => line.split("\t"));
  assert.deepEqual(rows.map((cells) => cells[0]), ["k0001_float", "k0002_uint", "k0003_short"]);
  assert.ok(rows.every((cells) => cells.length > 5 && cells.length === rows[0].length));
  await page.keyboard.press("ArrowDown");
  await eventually(() => page.locator("#kernels [role=row][aria-selected=true]").count(), 1);
  await page.keyboard.press("Shift+Space");
  await page.keyboard.press("Control+c");
  assert.match(await copied(page, 3), /^k0004_long\t.*\n$/);
  // Text selected in a field is copied by the browser.
  await filter(page).fill("k00");
  await filter(page).selectText();
  await page.keyboard.press("Control+c");
  await page.waitForTimeout(200);
  assert.equal(await page.evaluate(() => globalThis.copied.length), 3);
});

journey("bytes are copied in each format", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, sample("vecadd.bmg.zebin"));
  const header = page.getByRole("treeitem", { name: "ELF header" });
  await header.click();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("treeitem", { name: /^EI_MAG|^e_ident|magic/i }).first().click();
  await watchClipboard(page);
  const bytes = page.getByRole("grid", { name: "Bytes" });
  await bytes.focus();
  await page.keyboard.press("Control+c");
  assert.match(await copied(page, 1), /^7f 45 4c 46/);
  await page.keyboard.press("Control+Home");
  for (let i = 0; i < 3; i++) await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("Control+c");
  assert.equal(await copied(page, 2), "7f 45 4c 46");
  await page.keyboard.press("Enter");
  await page.getByRole("contentinfo").getByText("0x0..0x4").waitFor();
  let count = 2;
  for (const [name, expected] of [
    ["Copy as text", "\u007fELF"],
    ["Copy as C array", "static const uint8_t bytes[4] = {\n    0x7f, 0x45, 0x4c, 0x46\n};\n"],
    ["Copy as Rust array", "const BYTES: [u8; 4] = [\n    0x7f, 0x45, 0x4c, 0x46\n];\n"],
    ["Copy as Python bytes", "data = (\n    b\"\\x7f\\x45\\x4c\\x46\"\n)\n"],
    ["Copy as Base64", "f0VMRg=="],
  ]) {
    await bytes.focus();
    await page.keyboard.press("ContextMenu");
    const item = page.locator("#copy-as").getByRole("button", { name, exact: true });
    await item.waitFor();
    if (count === 2) {
      await axe(page);
      await screenshot(page, "copy-as");
    }
    await item.click();
    assert.equal(await copied(page, ++count), expected);
  }
  assert.notEqual(await page.evaluate(() => document.activeElement.tagName), "BODY");
});

journey("copying too many bytes shows a message", {}, async (page) => {
  await dropFile(page, sample("kernels600.dg2.zebin"));
  await page.getByRole("treeitem", { name: /kernels600/ }).first().click();
  await watchClipboard(page);
  await page.getByRole("grid", { name: "Bytes" }).focus();
  await page.keyboard.press("Control+c");
  await page.getByRole("status").getByText(/^3\.\d.MB are selected: at most 1\.\d.MB can be copied as text/).waitFor();
});

journey("rows do not move under the pointer; a double click opens a row", { width: 1440, height: 900 }, async (page) => {
  await kernels(page, "kernels600.dg2.zebin");
  const [top, height] = await grid(page).evaluate((grid) => [grid.getBoundingClientRect().top, grid.clientHeight]);
  const last = Math.floor((height - 32) / 21) - 1;
  for (const index of [last, 0, last - 3]) {
    const before = await row(page, index).boundingBox();
    await row(page, index).click({ position: { x: 60, y: 10 } });
    await row(page, index).and(page.locator("[aria-selected=true]")).waitFor();
    await page.getByRole("region", { name: "Selected kernel" }).getByRole("button", { name: "Arguments" }).waitFor();
    assert.deepEqual(await row(page, index).boundingBox(), before, `row ${index}`);
    assert.deepEqual(await grid(page).evaluate((grid) => [grid.getBoundingClientRect().top, grid.clientHeight]), [top, height]);
  }
  const name = await row(page, last - 1).getByRole("gridcell").first().locator(".name-cell").innerText();
  const box = await row(page, last - 1).boundingBox();
  await page.mouse.dblclick(box.x + 60, box.y + 10);
  await page.getByRole("tab", { name: "Assembly", selected: true }).waitFor();
  const shown = () => page.getByRole("combobox", { name: "Code" }).evaluate((select) => select.selectedOptions[0].textContent);
  await eventually(shown, (text) => text === name || text.includes(name.slice(0, 8)));
});

journey("a key that opens a panel leads into its rows", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, sample("spill.dg2.zebin"));
  await page.getByRole("heading", { name: "Verdict" }).waitFor();
  // From the page, and from a tab.
  for (const before of [async () => {}, () => page.getByRole("tab", { name: "Library" }).focus()]) {
    await before();
    await page.keyboard.press("2");
    await page.locator("#kernels [data-row='0']").waitFor();
    await eventually(() => page.evaluate(() => document.activeElement.id), "kernels");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("tab", { name: "Assembly", selected: true }).waitFor();
    await page.getByRole("tab", { name: "Library" }).click();
  }
});

journey("the focus is never lost", { width: 1440, height: 900 }, async (page) => {
  expectRequests(page, /samples\//);
  const focused = () => page.evaluate(() => {
    const element = document.activeElement;
    return element === document.body ? "nothing" : element.getAttribute("aria-label") ?? element.textContent;
  });
  const holds = (expected) => eventually(focused, expected);
  await page.getByRole("button", { name: "600 kernels · Arc" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("treeitem", { name: "ELF header" }).waitFor();
  await holds((name) => name !== "nothing");
  await panelTab(page, "Kernels").focus();
  await page.keyboard.press("Enter");
  await row(page, 0).waitFor();
  await grid(page).focus();
  await page.keyboard.press("ArrowDown");
  await row(page, 0).and(page.locator("[aria-selected=true]")).waitFor();
  await page.keyboard.press("l");
  await page.getByRole("tab", { name: "Assembly", selected: true }).waitFor();
  await page.keyboard.press("3");
  await page.getByRole("tab", { name: "Arguments", selected: true }).waitFor();
  await holds("All kernels");
  await page.keyboard.press("Enter");
  await holds("Kernels");
  await row(page, 4).dblclick({ position: { x: 60, y: 10 } });
  await holds("Assembly");
  for (const [key, name] of [["1", "Assembly"], ["l", "Problems"], ["l", "Kernels"], ["1", "Overview"], ["2", "Kernels"]]) {
    await page.keyboard.press(key);
    await page.getByRole("tab", { name, selected: true }).waitFor();
    await holds((focused) => focused !== "nothing");
  }
  for (const key of ["?", "g"]) {
    await row(page, 0).waitFor();
    await grid(page).focus();
    await page.keyboard.press(key);
    await page.getByRole("dialog").waitFor();
    await holds((name) => name !== "nothing");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await holds("Kernels");
  }
  // A second file, closed again with Delete; then the first.
  await dropFile(page, sample("spill.dg2.zebin"));
  await page.getByRole("tab", { name: "spill.dg2.zebin", selected: true }).waitFor();
  await holds((name) => name !== "nothing");
  await page.getByRole("tab", { name: "spill.dg2.zebin" }).focus();
  await page.keyboard.press("Delete");
  await page.getByRole("tab", { name: "spill.dg2.zebin" }).waitFor({ state: "detached" });
  await holds((name) => name !== "nothing");
});

const treeItems = (page) => page.getByRole("tree").getByRole("treeitem");

journey("long runs of sections are grouped into one row", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, sample("kernels600.dg2.zebin"));
  const text = treeItems(page).filter({ hasText: /^\.text\.\*\(600\)/ });
  await text.waitFor();
  await treeItems(page).filter({ hasText: /^\.rel\.text\.\*\(600\)/ }).waitFor();
  assert.ok((await treeItems(page).count()) < 30);
  await axe(page);
  await screenshot(page, "tree-runs");
  await page.getByRole("tree").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("t");
  await eventually(() => page.getByRole("tree").evaluate((tree) => document.getElementById(tree.getAttribute("aria-activedescendant")).textContent), /^\.text\.\*/);
  await page.keyboard.press("ArrowRight");
  await treeItems(page).filter({ hasText: ".text.k0000_int" }).waitFor();
  // A selection made elsewhere expands its group.
  await page.keyboard.press("ArrowLeft");
  await treeItems(page).filter({ hasText: ".text.k0000_int" }).waitFor({ state: "detached" });
  await page.keyboard.press("g");
  await page.getByRole("textbox", { name: /Offset, name/ }).fill(".text.k0300_int");
  await page.keyboard.press("Enter");
  await page.getByRole("treeitem", { selected: true }).getByText(".text.k0300_int").waitFor();
});

journey("the tree is filtered by name; padding and defaults can be hidden", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, sample("kernels600.dg2.zebin"));
  const field = page.getByRole("searchbox", { name: "Filter the structure by name" });
  await field.fill("k0300");
  await page.getByRole("status").getByText("2 matches among the rows that are loaded").waitFor();
  await eventually(() => treeItems(page).count(), 3);
  await axe(page);
  await screenshot(page, "tree-filter");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.getByRole("treeitem", { selected: true }).getByText(".rel.text.k0300_int").waitFor();
  await field.focus();
  await page.keyboard.press("Escape");
  await eventually(() => field.inputValue(), "");
  await page.getByRole("treeitem", { selected: true }).getByText(".rel.text.k0300_int").waitFor();

  const padding = treeItems(page).filter({ hasText: /^padding/ });
  await page.getByRole("tree").evaluate((tree) => { tree.scrollTop = 0; });
  await padding.first().waitFor();
  await page.locator("summary", { hasText: "Show" }).click();
  const choice = page.getByRole("checkbox", { name: "Padding" });
  await choice.click();
  await eventually(() => padding.count(), 0);
  assert.equal(await choice.getAttribute("aria-checked"), "false");
  await axe(page);
  await screenshot(page, "tree-show");
  await page.getByRole("checkbox", { name: "Defaults of absent keys" }).click();
  await page.keyboard.press("Escape");
  await choose(panelTab(page, "Arguments"));
  await page.getByRole("heading", { name: "Execution environment" }).waitFor();
  assert.equal(await page.locator("tr.default:visible").count(), 0);
  // Both are remembered.
  await load(page, () => page.reload());
  await dropFile(page, sample("kernels600.dg2.zebin"));
  await treeItems(page).first().waitFor();
  await eventually(() => padding.count(), 0);
});

journey("columns are resized, moved and remembered", { width: 1440, height: 900 }, async (page) => {
  await kernels(page, "spill.dg2.zebin");
  const head = (index) => page.locator("#kernels [role=columnheader]").nth(index);
  const width = async (index) => Math.round((await head(index).boundingBox()).width);
  const titles = () => page.locator("#kernels [role=columnheader]").evaluateAll((all) => all.map((one) => one.title.split(":")[0]));
  const before = await titles();
  // With the pointer: drag the border of a header; a click there does not sort.
  const first = await width(0);
  const box = await head(0).boundingBox();
  await page.mouse.move(box.x + box.width - 3, box.y + 12);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width + 57, box.y + 12, { steps: 4 });
  await page.mouse.up();
  await eventually(() => width(0), first + 60);
  assert.equal(await head(0).getAttribute("aria-sort"), "none");
  // Drag the header to another position, or cancel with Escape; neither sorts.
  const carry = async (from, to) => {
    const [start, end] = [await head(from).boundingBox(), await head(to).boundingBox()];
    await page.mouse.move(start.x + 15, start.y + 12);
    await page.mouse.down();
    await page.mouse.move(end.x + 15, end.y + 12, { steps: 6 });
    await eventually(() => head(to).getAttribute("data-drop"), from < to ? "after" : "before");
    await screenshot(page, `column carried from ${from} to ${to}`);
  };
  await carry(1, 3);
  await page.keyboard.press("Escape");
  await page.mouse.up();
  await eventually(() => page.locator("#kernels [data-drop]").count(), 0);
  assert.deepEqual(await titles(), before);
  await carry(1, 3);
  await page.mouse.up();
  await eventually(titles, [before[0], before[2], before[3], before[1], ...before.slice(4)]);
  await carry(3, 1);
  await page.mouse.up();
  await eventually(titles, before);
  assert.equal(await page.locator("#kernels [aria-sort=ascending], #kernels [aria-sort=descending]").count(), 0);
  await head(1).click();
  await eventually(() => head(1).getAttribute("aria-sort"), "descending");
  for (const order of ["ascending", "none"]) {
    await head(1).click();
    await eventually(() => head(1).getAttribute("aria-sort"), order);
  }
  // With the keyboard, on the header.
  await grid(page).focus();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowRight");
  await eventually(() => grid(page).getAttribute("aria-activedescendant"), "kernels-head-1");
  const second = await width(1);
  await page.keyboard.press("Shift+ArrowRight");
  await eventually(() => width(1), second + 16);
  await page.keyboard.press("Control+ArrowRight");
  await eventually(titles, [before[0], before[2], before[1], ...before.slice(3)]);
  await eventually(() => width(2), second + 16);
  await page.locator("summary", { hasText: "Columns" }).click();
  await axe(page);
  await screenshot(page, "columns");
  await page.locator("#panel").getByRole("button", { name: /^Move .* left$/ }).nth(1).click();
  await eventually(titles, before);
  await page.keyboard.press("Escape");
  await page.locator("summary", { hasText: "Columns" }).click();
  await page.locator("#panel").getByRole("button", { name: /^Move .* right$/ }).first().click();
  await eventually(titles, [before[0], before[2], before[1], ...before.slice(3)]);

  await load(page, () => page.reload());
  await kernels(page, "spill.dg2.zebin");
  await eventually(titles, [before[0], before[2], before[1], ...before.slice(3)]);
  await eventually(() => width(0), first + 60);
  await page.locator("summary", { hasText: "Columns" }).click();
  await page.getByRole("button", { name: "Default columns" }).click();
  await eventually(titles, before);
  await eventually(() => width(0), first);
});

journey("F3 and n step through the results; Go to accepts an offset", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, sample("kernels600.dg2.zebin"));
  const field = page.getByRole("combobox", { name: /Search names/ });
  const selected = page.getByRole("treeitem", { selected: true });
  await field.fill("k0300_int");
  await page.getByRole("option").first().waitFor();
  await page.keyboard.press("Enter");
  await selected.getByText("k0300_int").first().waitFor();
  const where = () => page.getByRole("contentinfo").locator(".mono").innerText();
  const first = await where();
  await page.getByRole("grid", { name: "Bytes" }).focus();
  await page.keyboard.press("F3");
  await eventually(where, (now) => now !== first);
  await page.getByRole("status").getByText(/^Result 2 of /).waitFor();
  const second = await where();
  await page.keyboard.press("n");
  await eventually(where, (now) => now !== second);
  await page.keyboard.press("Shift+N");
  await eventually(where, second);
  await page.keyboard.press("Shift+F3");
  await eventually(where, first);

  await field.fill("0x12148");
  await page.getByRole("option", { name: "Go to offset 0x12148" }).click();
  await eventually(where, /^0x12148\.\.|^0x121/);
  // Results beyond the first hundred.
  await field.fill("relocation");
  await field.fill("k0");
  await page.getByText("the first 100 results").first().waitFor();
  await axe(page);
  await screenshot(page, "search");
  await page.getByRole("search").getByRole("button", { name: "Show more" }).dispatchEvent("pointerdown");
  await page.getByText("the first 200 results").first().waitFor();
});

journey("a long search shows its progress and can be stopped", {}, async (page) => {
  const folder = await mkdtemp(path.join(tmpdir(), "zeview-"));
  const long = path.join(folder, "long.bin");
  await writeFile(long, "");
  await truncate(long, 2 ** 31);
  await dropFromDisk(page, [long]);
  await page.getByRole("treeitem").first().waitFor();
  const field = page.getByRole("combobox", { name: /Search names/ });
  await field.fill("ab cd");
  const foot = page.locator(".search .foot");
  await eventually(() => foot.innerText(), /Searching… \d+ %/);
  await page.keyboard.press("Escape");
  await eventually(() => foot.innerText(), /Stopped, nothing found so far/);
  await rm(folder, { recursive: true });
});

journey("files are closed, listed, opened only once, and switched", { width: 1440, height: 900 }, async (page) => {
  expectRequests(page, /samples\//);
  const tabs = page.getByRole("tablist", { name: "Open files" }).getByRole("tab");
  await dropFromDisk(page, [sample("vecadd.bmg.zebin")]);
  await page.getByRole("treeitem", { name: "ELF header" }).waitFor();
  await page.getByRole("button", { name: "zeview", exact: true }).click();
  await page.getByRole("heading", { name: /Drop a \.zebin/ }).waitFor();
  await axe(page);
  await screenshot(page, "home");
  await eventually(() => tabs.count(), 1);
  await page.goBack();
  await page.getByRole("treeitem", { name: "ELF header" }).waitFor();
  await dropFromDisk(page, [sample("vecadd.bmg.zebin")]);
  await page.waitForTimeout(300);
  assert.equal(await tabs.count(), 0);
  for (const name of ["spill.dg2.zebin", "damaged.zebin", "matmul.syclbin", "kernels600.dg2.zebin"]) await dropFile(page, sample(name));
  await dropFile(page, sample("damaged.zebin"));
  await eventually(() => tabs.count(), 6);
  await page.locator("summary", { hasText: "6 files" }).click();
  await axe(page);
  await screenshot(page, "files");
  await page.locator(".files .menu").getByRole("button", { name: "vecadd.bmg.zebin" }).click();
  await page.getByRole("tab", { name: "vecadd.bmg.zebin", selected: true }).waitFor();
  for (let left = 5; left > 0; left--) {
    await tabs.first().focus();
    await page.getByRole("tablist", { name: "Open files" }).getByRole("tab", { selected: true }).focus();
    await page.keyboard.press("Delete");
    await eventually(() => tabs.count(), left > 1 ? left : 0);
  }
  await page.getByRole("button", { name: "Close the file" }).click();
  await page.getByRole("button", { name: "Open a file…" }).waitFor();
  await eventually(() => page.evaluate(() => document.activeElement.textContent), "Open a file…");
});

for (const [width, bytes] of [[420, 8], [700, 16], [1440, 16], [1920, 32], [2560, 16], [3840, 32]]) {
  journey(`bytes and verdict, ${width} px`, { width, height: 900 }, async (page) => {
    await dropFile(page, sample("vecadd.bmg.zebin"));
    const row = page.getByRole("grid", { name: "Bytes" }).getByRole("row").first();
    await row.waitFor();
    await eventually(async () => (await row.locator(".h").innerText()).trim().split(/\s+/).length, bytes);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    const verdict = page.getByRole("button", { name: /driver: loads/ });
    await verdict.waitFor();
    const box = await verdict.boundingBox();
    const frame = await page.getByRole("list", { name: "Summary" }).boundingBox();
    assert.ok(box.y < frame.y + frame.height && box.x + box.width <= width, "the verdict is in view");
    await axe(page);
    await screenshot(page, `width-${width}`);
  });
}

journey("a name of 1000 characters leaves room for the messages", { width: 1440, height: 900 }, async (page) => {
  const long = (i) => `long_${i}_${"x".repeat(1000)}`;
  const bytes = withKernels(await readFile(sample("vecadd.bmg.zebin")), 3, long);
  await dropBytes(page, { [`${"y".repeat(200)}.zebin`]: bytes });
  await choose(panelTab(page, "Kernels"));
  await row(page, 1).getByRole("gridcell").first().click();
  await row(page, 1).and(page.locator("[aria-selected=true]")).waitFor();
  await choose(panelTab(page, "Arguments"));
  const heading = page.getByRole("tabpanel", { name: "Arguments" }).getByRole("heading", { level: 2 });
  await heading.waitFor();
  assert.ok((await heading.boundingBox()).height < 130);
  const inspector = page.getByRole("region", { name: "Inspector" });
  assert.ok((await inspector.getByRole("heading", { level: 2 }).last().boundingBox()).height < 130);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await axe(page);
  await screenshot(page, "long-name");
});

for (const theme of ["light", "dark"]) {
  journey(`signs are visible in forced colors, ${theme}`, { width: 1440, height: 900, forcedColors: true, theme }, async (page) => {
    await kernels(page, "spill.dg2.zebin");
    await row(page, 2).getByRole("gridcell").first().click();
    await row(page, 2).and(page.locator("[aria-selected=true]")).waitFor();
    await axe(page);
    // The bar below a spill is a line there, and the number stays readable.
    const spill = row(page, 2).locator(".under");
    const [ink, ground, line] = await spill.evaluate((bar) => {
      const cell = getComputedStyle(bar.closest("[role=gridcell]"));
      return [cell.color, cell.backgroundColor, getComputedStyle(bar).borderBottomStyle];
    });
    assert.notEqual(ink, ground);
    assert.equal(line, "solid");
    await screenshot(page, `forced-${theme}`);
  });
}
