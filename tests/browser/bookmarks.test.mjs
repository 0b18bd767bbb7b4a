// Bookmarks: created, commented, restored, exchanged; and the bytes read for them.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { axe, choose, dropBytes, dropFile, eventually, expectRequests, fixture, journey, level, load, screenshot, showAllPanes } from "./harness.mjs";

showAllPanes();

const SAMPLES = path.join(import.meta.dirname, "../../www/samples");
const vecadd = path.join(SAMPLES, "vecadd.bmg.zebin");

const row = (page, name) => page.getByRole("treeitem", { name });
const sign = (row) => row.getByRole("img", { name: "bookmarked" });
const list = (page) => page.getByRole("listbox", { name: "Bookmarks" });
const entries = (page) => list(page).getByRole("option");
const panel = (page) => page.getByRole("tablist", { name: "Panels" }).getByRole("tab", { name: /^Bookmarks/ });
const said = (page, text) => page.getByRole("status").getByText(text).waitFor();
const comment = (page) => page.getByRole("dialog").getByRole("textbox", { name: /^Comment on/ });
const selected = (page) => page.locator("[role=treeitem][aria-selected=true]");

/** Records the number of bytes of each computed hash. */
async function watchHashes(page) {
  await page.addInitScript(() => {
    globalThis.hashed = [];
    const { digest } = SubtleCrypto.prototype;
    SubtleCrypto.prototype.digest = function (name, bytes) {
      globalThis.hashed.push(bytes.byteLength);
      return digest.call(this, name, bytes);
    };
  });
}
const hashed = (page) => page.evaluate(() => globalThis.hashed);

/** Marks a section, with a comment, and 4 bytes of the header. */
async function markTwo(page, text) {
  await row(page, /^\.ze_info/).click();
  await page.keyboard.press(";");
  await said(page, "Bookmarked. Press ; again to write a comment.");
  await sign(row(page, /^\.ze_info/)).waitFor();
  await page.keyboard.press(";");
  await comment(page).fill(text);
  await page.keyboard.press("Control+Enter");
  await eventually(() => page.getByRole("dialog").count(), 0);
  await page.evaluate(() => { location.hash = "#o=0x10+4"; });
  await page.locator("footer .mono", { hasText: "0x10..0x14" }).waitFor();
  await page.getByRole("button", { name: "Bookmark", exact: true }).click();
  await level(panel(page)).click();
  await eventually(() => panel(page).innerText(), /Bookmarks\s*2/);
}

journey("bookmarks of a row and a range are listed by offset and restored on the next visit",
  { width: 1440, height: 900, before: watchHashes },
  async (page) => {
    const text = "why <b>this</b>?\nsee the driver";
    await dropFile(page, vecadd);
    await row(page, "ELF header").waitFor();
    assert.deepEqual(await hashed(page), [], "nothing is read that nobody asked for");
    await markTwo(page, text);
    const { length } = await readFile(vecadd);
    await eventually(() => hashed(page), [length]);

    await choose(panel(page));
    await eventually(() => entries(page).count(), 2);
    assert.match(await entries(page).nth(0).innerText(), /4 bytes/);
    assert.match(await entries(page).nth(1).innerText(), /\.ze_info[^]*why <b>this<\/b>\?/);
    await axe(page);

    // Keyboard: select the row, edit its comment, delete it.
    await list(page).focus();
    await page.keyboard.press("End");
    await eventually(() => selected(page).innerText(), /^\.ze_info/);
    await page.getByRole("region", { name: "Bookmark" }).getByText("see the driver").waitFor();
    assert.equal(await list(page).evaluate((list) => list === document.activeElement), true);
    await page.keyboard.press("Enter");
    await eventually(() => comment(page).inputValue(), text);
    await axe(page);
    await page.keyboard.press("Escape");
    await page.keyboard.press("ArrowUp");
    await page.locator("footer .mono", { hasText: "0x10..0x14" }).waitFor();
    await screenshot(page, "bookmarks-range");

    // On the next visit, a file of another size is not hashed.
    expectRequests(page, /./);
    await load(page, () => page.reload());
    await dropFile(page, path.join(SAMPLES, "damaged.zebin"));
    await row(page, "ELF header").waitFor();
    await dropFile(page, path.join(SAMPLES, "spill.dg2.zebin"));
    await page.getByRole("tab", { name: "spill.dg2.zebin", selected: true }).waitFor();
    await row(page, "ELF header").waitFor();
    assert.deepEqual(await hashed(page), await damagedIsAsLong() ? [length] : []);
    await dropFile(page, vecadd);
    await page.getByRole("tab", { name: "vecadd.bmg.zebin", selected: true }).waitFor();
    await sign(row(page, /^\.ze_info/)).waitFor();
    await level(panel(page)).click();
    await eventually(() => panel(page).innerText(), /Bookmarks\s*2/);

    await choose(panel(page));
    await list(page).focus();
    await page.keyboard.press("End");
    await eventually(() => selected(page).innerText(), /^\.ze_info/);
    await page.keyboard.press("Delete");
    await eventually(() => entries(page).count(), 1);
    assert.equal(await sign(row(page, /^\.ze_info/)).count(), 0);
    await page.keyboard.press("Home");
    await page.locator("footer .mono", { hasText: "0x10..0x14" }).waitFor();
    await page.keyboard.press("Delete");
    await page.getByText("Nothing is bookmarked in this file.").waitFor();
    assert.deepEqual(await page.evaluate(() => Object.keys(localStorage).filter((key) => /bookmarks\./.test(key))), []);
  });

/** The damaged sample is derived from the other one. */
async function damagedIsAsLong() {
  const sizes = await Promise.all([vecadd, path.join(SAMPLES, "damaged.zebin")].map(async (name) => (await readFile(name)).length));
  return sizes[0] === sizes[1];
}

journey("bookmarks in a nested file are restored", { width: 1440 }, async (page) => {
  await dropFile(page, path.join(SAMPLES, "matmul.syclbin"));
  await choose(page.getByRole("tab", { name: "Kernels" }));
  await page.locator("#kernels [data-row='1'] [role=gridcell]").first().click();
  await eventually(() => selected(page).count(), 1);
  // Until its rows arrive, the tree shows "…", and before that, the file is selected.
  await eventually(() => selected(page).innerText(), /matmul(?!\.syclbin)/);
  const name = await selected(page).innerText();
  await page.keyboard.press(";");
  await sign(selected(page)).waitFor();
  expectRequests(page, /./);
  await load(page, () => page.reload());
  await dropFile(page, path.join(SAMPLES, "matmul.syclbin"));
  await level(panel(page)).click();
  await eventually(() => panel(page).innerText(), /Bookmarks\s*1/);
  await choose(panel(page));
  await entries(page).first().click();
  await eventually(() => selected(page).innerText(), name);
  await sign(selected(page)).waitFor();
  await eventually(() => page.getByRole("tree").getByRole("img", { name: "bookmarked" }).count(), 1);
});

journey("bookmarks are exported and imported; bookmarks of another file are rejected", { width: 1440 }, async (page) => {
  await dropFile(page, vecadd);
  await row(page, "ELF header").waitFor();
  await markTwo(page, "mine");
  await choose(panel(page));
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export bookmarks" }).click(),
  ]);
  assert.equal(download.suggestedFilename(), "vecadd.bmg.zebin-bookmarks.json");
  const text = await readFile(await download.path(), "utf8");
  const json = JSON.parse(text);
  assert.equal(json.schema, "zeview-bookmarks/1");
  assert.match(json.sha256, /^[0-9a-f]{64}$/);
  assert.deepEqual(json.bookmarks.map(({ path, bytes, text }) => [path, bytes, text]).at(-1), [".ze_info", undefined, "mine"]);

  // Importing another user's bookmarks keeps both comments.
  json.bookmarks = json.bookmarks.slice(-1);
  json.bookmarks[0].text = "<img src=x onerror=alert(1)>";
  const give = async (name, text) => {
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Import bookmarks…" }).click(),
    ]);
    await chooser.setFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) });
  };
  await give("theirs.json", JSON.stringify(json));
  await said(page, "1 bookmark imported.");
  await entries(page).last().click();
  const box = page.getByRole("region", { name: "Bookmark" });
  await box.getByText("mine").waitFor();
  await box.getByText("<img src=x onerror=alert(1)>").waitFor();
  assert.equal(await page.locator("img").count(), 0);

  await give("cut.json", text.slice(0, -5));
  await said(page, /^cut\.json was not imported: it is not valid JSON: .* at line \d+ column \d+\.$/);
  await give("wrong.json", text.replace('"span": [', '"span": [1e9, '));
  await said(page, "wrong.json was not imported: bookmark 1: “span” is not a range of the file's bytes.");
  await give("other.json", "{}");
  await said(page, "other.json is not a bookmark file.");

  // Dropped on another file, then on its own.
  await dropFile(page, path.join(SAMPLES, "spill.dg2.zebin"));
  await page.getByRole("tab", { name: "spill.dg2.zebin", selected: true }).waitFor();
  await row(page, "ELF header").waitFor();
  await dropBytes(page, { "bookmarks.json": Buffer.from(text) });
  await said(page, /^These bookmarks are for another file: vecadd\.bmg\.zebin, .* bytes\.$/);
  await dropBytes(page, { "data.json": Buffer.from("{}") });
  await page.getByRole("tab", { name: "data.json", selected: true }).waitFor();
});

journey("a bookmark file without its binary names the binary", async (page) => {
  const bookmarks = { schema: "zeview-bookmarks/1", name: "a.zebin", size: 1, bookmarks: [] };
  await dropBytes(page, { "bookmarks.json": Buffer.from(JSON.stringify(bookmarks)) });
  await said(page, "bookmarks.json has bookmarks for a.zebin. Open that file first.");
  assert.equal(await page.getByRole("tree").count(), 0);
});

journey("without storage, a notice says that bookmarks are lost when the page is closed", {
  before: async (page) => {
    await watchHashes(page);
    await page.addInitScript(() => {
      Object.defineProperty(window, "localStorage", { get() { throw new DOMException("refused", "SecurityError"); } });
    });
  },
}, async (page) => {
  await dropFile(page, vecadd);
  await choose(page.getByRole("tab", { name: "Problems" }));
  await row(page, /^\.ze_info/).click();
  await page.keyboard.press(";");
  await sign(row(page, /^\.ze_info/)).waitFor();
  await choose(panel(page));
  await said(page, /^This page cannot store anything in the browser/);
  assert.deepEqual(await hashed(page), []);
});

for (const theme of ["light", "dark"]) {
  for (const width of [1440, 700, 420]) {
    journey(`bookmarks, ${width} px, ${theme}`, { theme, width, height: 900 }, async (page) => {
      await dropFile(page, vecadd);
      const structure = page.getByRole("tab", { name: "Structure" });
      if (width < 900) await structure.click();
      await row(page, /^\.ze_info/).click();
      await page.keyboard.press(";");
      await page.keyboard.press(";");
      await comment(page).fill("SIMD 16, although 32 was asked for: compare with the build of last week.");
      await screenshot(page, `bookmarks-dialog-${width}-${theme}`);
      await page.keyboard.press("Control+Enter");
      await row(page, "ELF header").click();
      await page.keyboard.press(";");
      await sign(row(page, "ELF header")).waitFor();
      await screenshot(page, `bookmarks-tree-${width}-${theme}`);
      await choose(panel(page));
      await entries(page).nth(1).click();
      await eventually(() => entries(page).nth(1).getAttribute("aria-selected"), "true");
      await axe(page);
      await screenshot(page, `bookmarks-${width}-${theme}`);
    });
  }
}
