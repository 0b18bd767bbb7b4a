// Hostile names: nothing in a name runs, is requested, becomes markup, or changes the direction of
// other text. Uses the files of tests/fixtures/names, and one with a name of 1 MB.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { choose, dropBytes, eventually, fixture, journey, screenshot, showAllPanes } from "./harness.mjs";
import { withKernels } from "./generated.mjs";

showAllPanes();

const read = (name) => readFile(fixture(`names/${name}`));
const sample = (name) => readFile(path.join(import.meta.dirname, "../../www/samples", name));

/** A file name with hostile characters except a slash. */
const OWN = "\u001b]0;x\u0007\nFORGED\u202e<img src=x onerror=alert(1)>=1 ";

/** Control and invisible characters, except line ends, which text from a file may have. */
const OBEYED = "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u180b-\\u180f\\u200b-\\u200f" +
  "\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\u{e0000}-\\u{e0fff}]";

const tabs = (page) => page.getByRole("tablist", { name: "Panels" }).getByRole("tab");
const shown = (page) => page.locator("[role=tabpanel]:visible").first();

/** Records dialogs and the effects that the names attempt. */
async function watch(page) {
  page.dialogs = [];
  page.wrong = new Map();
  page.on("dialog", (dialog) => {
    page.dialogs.push(dialog.message());
    dialog.dismiss();
  });
  await page.evaluate(() => {
    globalThis.copied = [];
    globalThis.elements = new Set(["IMG", "SCRIPT", "IFRAME", "OBJECT", "EMBED", "BASE", "META"].map((name) => `${name} ${document.querySelectorAll(name).length}`));
    const writeText = async (text) => { globalThis.copied.push(text); };
    Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
  });
}

/** Records elements that only a name can have created. */
async function look(page, where) {
  const wrong = await page.evaluate((source) => {
    const obeyed = new RegExp(source, "u");
    const wrong = [];
    for (const one of globalThis.elements) {
      const [name, count] = one.split(" ");
      const now = document.querySelectorAll(name).length;
      if (now > Number(count)) wrong.push(`${now - count} more elements ${name}`);
    }
    const near = (text) => JSON.stringify(text.slice(Math.max(0, text.search(obeyed) - 20)).slice(0, 50));
    if (obeyed.test(document.title)) wrong.push(`the title: ${near(document.title)}`);
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.nodeType === Node.TEXT_NODE) {
        if (!["STYLE", "SCRIPT"].includes(node.parentElement.tagName) && obeyed.test(node.data)) {
          wrong.push(`text in ${node.parentElement.className || node.parentElement.tagName}: ${near(node.data)}`);
        }
        continue;
      }
      for (const { name, value } of node.attributes) {
        if (name.startsWith("on")) wrong.push(`the attribute ${name} of ${node.tagName}`);
        if (/^(href|src|action|formaction|xlink:href)$/.test(name) && /^\s*(javascript|data):/i.test(value)) {
          wrong.push(`${name}="${value.slice(0, 40)}"`);
        }
        if (/^(title|aria-|alt|placeholder|value)/.test(name) && obeyed.test(value)) {
          wrong.push(`${name} of ${node.className || node.tagName}: ${near(value)}`);
        }
      }
    }
    const { scrollWidth, scrollHeight } = document.documentElement;
    if (scrollWidth > innerWidth) wrong.push(`the page is ${scrollWidth} px wide`);
    if (scrollHeight > innerHeight) wrong.push(`the page is ${scrollHeight} px high`);
    return [...new Set(wrong)].slice(0, 20);
  }, OBEYED);
  for (const what of [...wrong, ...page.dialogs.splice(0)]) page.wrong.set(what, `${where}: ${what}`);
}

/** Fails if anything was recorded. */
function judge(page) {
  assert.deepEqual([...page.wrong.values()], []);
}

const cut = (text) => JSON.stringify(text.slice(0, 200));

/** Records copied and saved text. */
function checkText(label, text) {
  if (/JSON/.test(label)) return JSON.parse(text);
  if (/SVG|report|HTML/.test(label)) {
    assert.doesNotMatch(text, /<(img|script|a|iframe|object|embed|foreignObject)\b/i, label);
    assert.doesNotMatch(text, /<[^>]*\son\w+\s*=/i, label);
    assert.doesNotMatch(text, new RegExp(OBEYED, "u"), label);
  }
  if (/Markdown/.test(label)) {
    assert.doesNotMatch(text, new RegExp(OBEYED, "u"), label);
    assert.doesNotMatch(text.replaceAll("\\\\", ""), /(^|[^\\])[<`[$]/, label);
  }
  if (/CSV/.test(label)) {
    for (const cell of cells(text)) assert.ok(!/^[=+\-@\t\r\n\uff1d]/.test(cell) || !Number.isNaN(Number(cell)), `${label}: ${cut(cell)}`);
  }
  if (/TSV/.test(label)) {
    for (const cell of text.split(/[\t\n]/)) assert.ok(!/^[=+\-@\r\uff1d]/.test(cell) || !Number.isNaN(Number(cell)), `${label}: ${cut(cell)}`);
  }
}

/** The cells of comma-separated values. */
function cells(text) {
  return [...text.matchAll(/"((?:[^"]|"")*)"|([^,"\n]+)/g)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain);
}

/** Clicks every copy and save button of a panel and checks the output. */
async function takeAlong(page, where) {
  const menus = shown(page).locator("summary", { hasText: /^(Export|Report)$/ });
  const buttons = shown(page).getByRole("button", { name: /^(Copy as|Save)/ });
  if ((await menus.count()) > 0) await menus.first().click();
  const labels = [...new Set(await buttons.allInnerTexts())];
  for (const label of labels) {
    const button = shown(page).getByRole("button", { name: label.trim(), exact: true }).first();
    if ((await menus.count()) > 0 && !(await button.isVisible())) await menus.first().click();
    if (!(await button.isVisible()) || (await button.isDisabled())) continue;
    if (label.startsWith("Copy")) {
      const before = await page.evaluate(() => globalThis.copied.length);
      await button.click();
      await eventually(() => page.evaluate(() => globalThis.copied.length), before + 1);
      checkText(label, await page.evaluate(() => globalThis.copied.at(-1)));
      continue;
    }
    const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
    const name = download.suggestedFilename();
    assert.doesNotMatch(name, new RegExp(`${OBEYED}|/`, "u"), `${where}: ${label}`);
    checkText(label, await readFile(await download.path(), "utf8"));
  }
  await page.keyboard.press("Escape");
  return labels.length;
}

/** Checks every panel of every level: its contents, a selected row, its exports. */
async function walk(page, file) {
  const levels = page.getByRole("tablist", { name: "Level" }).getByRole("tab");
  let exported = 0;
  for (let at = 0; at < (await levels.count()); at++) {
    await levels.nth(at).click();
    await eventually(() => levels.nth(at).getAttribute("aria-selected"), "true");
    exported += await walkLevel(page, file);
  }
  return exported;
}

async function walkLevel(page, file) {
  const count = await tabs(page).count();
  let exported = 0;
  for (let at = 0; at < count; at++) {
    const tab = tabs(page).nth(at);
    const where = `${file}, ${(await tab.innerText()).trim()}`;
    await tab.click();
    await eventually(() => tab.getAttribute("aria-selected"), "true");
    await page.waitForTimeout(60);
    await look(page, where);
    const cell = shown(page).getByRole("gridcell").first();
    if ((await cell.count()) > 0) {
      await cell.click();
      await page.waitForTimeout(60);
      await look(page, `${where}, a row selected`);
    }
    // Without rows, the panel has no menus.
    await eventually(() => shown(page).locator("[aria-busy=true]").count(), 0);
    exported += await takeAlong(page, where);
  }
  return exported;
}

/** Expands rows of the tree by keyboard, to show names at several depths. */
async function openTree(page, file) {
  await page.getByRole("treeitem").first().click();
  for (let row = 0; row < 12; row++) {
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
  }
  await page.waitForTimeout(100);
  await look(page, `${file}, the tree`);
}

const FILES = [
  "names.zebin", "lines.zebin", "bytes.zebin", "names-1.syclbin", "names-2.syclbin", "names.host", "names.a",
  "names.ob", "names.spv", "names.bundle", "names.txt", "names.dbg", "names.obj",
];

for (const file of FILES) {
  journey(`hostile names are escaped: ${file}`, async (page) => {
    await watch(page);
    await dropBytes(page, { [OWN + file]: await read(file) });
    await page.getByRole("treeitem").first().waitFor();
    await openTree(page, file);
    const exported = await walk(page, file);
    judge(page);
    assert.ok(exported > 0, "something was exported");
  });
}

journey("hostile names are escaped in comparisons, search and the address", async (page) => {
  await watch(page);
  await dropBytes(page, { [`${OWN}a.zebin`]: await read("changed.zebin"), [`${OWN}b.zebin`]: await read("names.zebin") });
  await page.getByRole("grid", { name: "Differences" }).locator("[data-row]").first().waitFor();
  await look(page, "compared");
  for (let row = 0; row < 12; row++) {
    await page.getByRole("grid", { name: "Differences" }).locator(`[data-row='${row}']`).click();
    await page.waitForTimeout(30);
    await look(page, `difference ${row}`);
  }
  await takeAlong(page, "compared");
  await page.keyboard.press("/");
  await page.keyboard.type("alert");
  await page.getByRole("option").first().waitFor();
  await look(page, "search");
  await screenshot(page, "names-search");
  await page.keyboard.press("Escape");
  await page.evaluate(() => { location.hash = "#k=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&panel=kernels"; });
  await page.locator("#kernels [data-row]").first().waitFor();
  await look(page, "the address");
  await screenshot(page, "names-kernels");
  judge(page);
});

journey("a name of 1 MB does not break the layout", async (page) => {
  await watch(page);
  const long = "_ZTSN4sycl<b>=1,".repeat(65_536);
  const bytes = withKernels(await sample("vecadd.bmg.zebin"), 3, (at) => `'\u202e${long}${at}'`);
  await dropBytes(page, { [`${"x".repeat(240)}.zebin`]: bytes });
  await page.getByRole("treeitem").first().waitFor();
  for (const name of ["Kernels", "Arguments", "Text", "Overview"]) {
    await choose(page.getByRole("tablist", { name: "Panels" }).getByRole("tab", { name: new RegExp(`^${name}`) }).first());
    await page.waitForTimeout(300);
    await look(page, name);
    await screenshot(page, `names-long-${name.toLowerCase()}`);
  }
  judge(page);
});
