// Recent files: stored with their handles, reopened, removed.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { axe, dropFile, eventually, expectRequests, journey, load, screenshot } from "./harness.mjs";

const SAMPLES = path.join(import.meta.dirname, "../../www/samples");
const vecadd = await readFile(path.join(SAMPLES, "vecadd.bmg.zebin"));

const list = (page) => page.getByRole("region", { name: "Recent files" });
const names = async (page) => {
  const items = await list(page).getByRole("listitem").allInnerTexts();
  return items.map((text) => text.split("\n")[0]);
};
const home = (page) => page.getByRole("button", { name: "zeview", exact: true }).click();
const opened = (page, name) => page.locator(".crumb", { hasText: name }).waitFor();
/** Waits until the empty page has read the stored list. */
const settled = (page) => page.evaluate(() => globalThis.zeviewRecent?.list().then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))));

/** Replaces the system's dialog with one that returns handles of the site's private file system. */
async function picks(page, files) {
  await page.evaluate(async (files) => {
    const root = await navigator.storage.getDirectory();
    const handles = [];
    for (const [name, base64] of files) {
      const handle = await root.getFileHandle(name, { create: true });
      const writable = await handle.createWritable();
      await writable.write(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
      await writable.close();
      handles.push(handle);
    }
    window.showOpenFilePicker = async () => handles;
  }, files.map((name) => [name, vecadd.toString("base64")]));
}

async function pick(page, ...files) {
  await picks(page, files);
  await page.keyboard.press("o");
  await opened(page, files[0]);
}

async function revisit(page) {
  expectRequests(page, /./);
  await load(page, () => page.reload());
}

/** Waits until a file is stored as the most recent one. */
const noted = (page, name) => eventually(() => page.evaluate(async () => (await globalThis.zeviewRecent.list())[0]?.name), name);

journey("recent files are listed on the next visit, reopened by a click, removed", { picker: true }, async (page) => {
  await settled(page);
  assert.equal(await list(page).count(), 0);
  await pick(page, "first.zebin");
  await home(page);
  await eventually(() => names(page), ["first.zebin"]);
  await pick(page, "second.zebin");
  await noted(page, "second.zebin");
  await revisit(page);
  await eventually(() => names(page), ["second.zebin", "first.zebin"]);
  await axe(page);

  await list(page).getByRole("button", { name: /^first\.zebin/ }).click();
  await opened(page, "first.zebin");
  await page.getByRole("treeitem", { name: "ELF header" }).waitFor();
  // A file with a handle can be followed.
  await page.getByRole("button", { name: "Watch the file" }).click();
  await eventually(() => page.getByRole("button", { name: "Watch the file" }).getAttribute("aria-pressed"), "true");
  await noted(page, "first.zebin");
  await revisit(page);
  await eventually(() => names(page), ["first.zebin", "second.zebin"]);

  await list(page).getByRole("button", { name: "Forget first.zebin" }).focus();
  await page.keyboard.press("Enter");
  await eventually(() => names(page), ["second.zebin"]);
  await eventually(() => page.evaluate(() => document.activeElement.tagName), "BUTTON");
  await list(page).getByRole("button", { name: "Forget all" }).click();
  await eventually(() => list(page).count(), 0);
  await revisit(page);
  await settled(page);
  assert.equal(await list(page).count(), 0);
});

journey("a deleted file is reported; at most ten files are kept", { picker: true }, async (page) => {
  const files = Array.from({ length: 12 }, (_, i) => `file-${i}.zebin`);
  for (const name of files) {
    await pick(page, name);
    await noted(page, name);
  }
  await revisit(page);
  await eventually(() => names(page), files.slice(2).reverse());
  await page.evaluate(async () => (await navigator.storage.getDirectory()).removeEntry("file-5.zebin"));
  await list(page).getByRole("button", { name: /^file-5\.zebin/ }).click();
  await page.getByRole("status").getByText("The file was moved or deleted.").waitFor();
});

journey("a file without a handle is not listed", { picker: true }, async (page) => {
  await dropFile(page, path.join(SAMPLES, "vecadd.bmg.zebin"));
  await opened(page, "vecadd.bmg.zebin");
  await home(page);
  await settled(page);
  assert.equal(await list(page).count(), 0);
});

journey("canceling the file dialog changes nothing", { picker: true }, async (page) => {
  await page.evaluate(() => {
    window.showOpenFilePicker = async () => { throw new DOMException("The user aborted a request.", "AbortError"); };
  });
  await page.getByRole("button", { name: "Open a file…" }).click();
  await settled(page);
  await page.getByRole("heading", { name: "Drop a .zebin or .syclbin here" }).waitFor();
});

journey("without storage there is no list of recent files", {
  picker: true,
  before: (page) => page.addInitScript(() => {
    IDBFactory.prototype.open = () => { throw new DOMException("refused", "SecurityError"); };
  }),
}, async (page) => {
  await pick(page, "first.zebin");
  await home(page);
  await page.getByRole("heading", { name: "Drop a .zebin or .syclbin here" }).waitFor();
  assert.equal(await list(page).count(), 0);
});

journey("an embedded page stores no recent files", { address: "?embed=1", picker: true }, async (page) => {
  assert.equal(await page.evaluate(() => globalThis.zeviewRecent), undefined);
});

for (const theme of ["light", "dark"]) {
  for (const width of [1440, 700, 420]) {
    journey(`recent files, ${width} px, ${theme}`, { picker: true, theme, width, height: 900 }, async (page) => {
      const long = `${"_ZTSZZ4mainENKUlRN4sycl3_V17handlerEE_clES2_EUlNS0_7nd_itemILi2EEEE_".repeat(3)}.zebin`;
      for (const name of ["vecadd.zebin", long, "matmul.syclbin"]) {
        await picks(page, [name]);
        await page.keyboard.press("o");
        await page.getByRole("treeitem").first().waitFor();
        await eventually(() => page.evaluate(async () => (await globalThis.zeviewRecent.list())[0].name), name);
        await home(page);
      }
      await revisit(page);
      await eventually(async () => (await names(page)).length, 3);
      const over = await page.locator("main").evaluate((main) => main.scrollWidth - main.clientWidth);
      assert.equal(over, 0, "a long name takes no room from the others");
      await axe(page);
      await screenshot(page, `recent-${width}-${theme}`);
    });
  }
}
