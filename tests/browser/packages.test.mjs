// Wheels, archives and folders: their files, the kernels of all of them, and two of them compared.

import assert from "node:assert/strict";
import { copyFile, mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { axe, choose, dropBytes, dropFile, dropFromDisk, eventually, journey, screenshot } from "./harness.mjs";
import { zip } from "./zip.mjs";

const HERE = import.meta.dirname;
const sample = (name) => path.join(HERE, "../../www/samples", name);
const WHEEL = path.join(HERE, "../fixtures/package/streamed.whl");
const tab = (page, name) => page.getByRole("tab", { name: new RegExp(`^${name}`) });
const panel = (page, name) => page.getByRole("tabpanel", { name });
const cells = (page, list, column) => page.locator(`#${list} [data-row] [data-column='${column}']`);
const texts = (page, list, column) => cells(page, list, column).allInnerTexts();

/** A folder as compilers leave it: binaries with what was written along with them. */
async function cache(name, changed) {
  const folder = path.join(await mkdtemp(path.join(tmpdir(), "zeview-")), name);
  await mkdir(path.join(folder, "sub"), { recursive: true });
  await copyFile(sample(changed ? "vecadd-O0.bmg.zebin" : "vecadd.bmg.zebin"), path.join(folder, "vecadd.zebin"));
  await writeFile(path.join(folder, "vecadd.cl"), "kernel void vecadd() {}\n");
  await copyFile(sample("spill.dg2.zebin"), path.join(folder, "sub", "spill.zebin"));
  await writeFile(path.join(folder, "sub", "notes"), "");
  return folder;
}

journey("a wheel: its files, then the kernels of all of them", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, WHEEL);
  const overview = panel(page, "Overview");
  await overview.getByText("Python wheel").first().waitFor();
  // The first screen reads by itself.
  await overview.getByRole("button", { name: "All kernels by device" }).waitFor();
  await axe(page);
  await choose(tab(page, "Files"));
  // Files without device code are behind a button once it is known which these are.
  const hidden = panel(page, "Files").getByRole("button", { name: /without device code/ });
  await hidden.click();
  await eventually(async () => (await texts(page, "files", 0)).length, 5);
  await axe(page);
  for (const [name, what] of [["Assembly", "instructions"], ["Text", "readable text"]]) {
    await choose(tab(page, name));
    await panel(page, name).getByText(`The file itself has no ${what}.`).waitFor();
    await panel(page, name).getByRole("button", { name: /Choose a (file|kernel)/ }).first().waitFor();
    await axe(page);
  }
  await choose(tab(page, "Overview"));
  await overview.getByRole("button", { name: "All kernels by device" }).click();
  await panel(page, "By device").getByText(/^\d+ kernels?$/).waitFor();
  await axe(page);
  await screenshot(page, "package-by-device");
  await choose(tab(page, "Kernels"));
  await cells(page, "kernels", 0).first().waitFor();
  await choose(tab(page, "Files"));
  // The number of kernels is known now.
  await eventually(async () => (await texts(page, "files", 2)).some((text) => /^\d+$/.test(text)), true);
  await screenshot(page, "package-files");
});

journey("files that are not read are named, beside the list and in it", { width: 1440, height: 900 }, async (page) => {
  const zebin = await readFile(sample("vecadd.bmg.zebin"));
  const archive = Buffer.concat([Buffer.from("7z\xbc\xaf\x27\x1c", "latin1"), Buffer.alloc(600)]);
  await dropBytes(page, { "unread.whl": zip({ "a.zebin": zebin, "inner.7z": archive, "notes.txt": Buffer.from("text") }) });
  await panel(page, "Overview").getByRole("button", { name: "All kernels by device" }).waitFor();
  await choose(tab(page, "Files"));
  await panel(page, "Files").getByRole("button", { name: "1 file without device code" }).click();
  await eventually(() => texts(page, "files", 1), ["zebin", "not read", "text"]);
  await panel(page, "Files").getByText("1 file was not read: inner.7z: a 7z archive").waitFor();
  await choose(tab(page, "Kernels"));
  await panel(page, "Kernels").getByText("1 file was not read: inner.7z: a 7z archive").waitFor();
  await axe(page);
  await screenshot(page, "package-unread");
});

journey("a dropped folder is a document; its kernels lead to their code", { width: 1440, height: 900 }, async (page) => {
  await dropFromDisk(page, [await cache("cache", false)]);
  await choose(tab(page, "Files"));
  await eventually(() => texts(page, "files", 0), ["sub/spill.zebin", "vecadd.zebin"]);
  await panel(page, "Files").getByRole("button", { name: "2 files without device code" }).click();
  await eventually(async () => (await texts(page, "files", 0)).sort(), ["sub/notes", "sub/spill.zebin", "vecadd.cl", "vecadd.zebin"]);
  await eventually(async () => (await texts(page, "files", 1)).filter((kind) => kind === "zebin").length, 2);
  await choose(tab(page, "Kernels"));
  const vecadd = cells(page, "kernels", 0).filter({ hasText: "vecadd" });
  await vecadd.click();
  await axe(page);
  await screenshot(page, "folder-kernels");
  await choose(tab(page, "Assembly"));
  await panel(page, "Assembly").locator(".asm").first().waitFor();
});

journey("the files of a folder are chosen in a dialog", async (page) => {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Open a folder…" }).click();
  await (await chooser).setFiles(await cache("chosen", false));
  await panel(page, "Overview").getByText("4 files").first().waitFor();
});

journey("two folders are compared by file", { width: 1440, height: 900 }, async (page) => {
  await dropFromDisk(page, [await cache("before", false), await cache("after", true)]);
  const compare = panel(page, "Compare");
  await compare.getByText("vecadd").first().waitFor();
  assert.equal(await compare.getByText("spill").count(), 0);
  await axe(page);
  await screenshot(page, "folders-compared");
});

journey("damaged packages say what is wrong and show the rest", { width: 1000, height: 700, theme: "dark" }, async (page) => {
  const wheel = await readFile(WHEEL);
  await dropBytes(page, { "cut.whl": wheel.subarray(0, wheel.length - 30) });
  await choose(tab(page, "Problems"));
  await panel(page, "Problems").getByText(/central directory/).first().waitFor();
  await axe(page);
  await screenshot(page, "package-damaged");
});

journey("a file of a folder that was changed has a clear message", async (page) => {
  const folder = await cache("changed", false);
  await dropFromDisk(page, [folder]);
  await choose(tab(page, "Files"));
  await eventually(async () => (await texts(page, "files", 0)).length, 2);
  await writeFile(path.join(folder, "vecadd.zebin"), "something else");
  await choose(tab(page, "Kernels"));
  await cells(page, "kernels", 0).filter({ hasText: "spill" }).first().waitFor();
});

journey("two packages are compared by kernel and device; the rest on request", { width: 1440, height: 900 }, async (page) => {
  const [plain, spills, other] = await Promise.all(
    ["vecadd.bmg.zebin", "spill.dg2.zebin", "vecadd-O0.bmg.zebin"].map((name) => readFile(sample(name))),
  );
  await dropBytes(page, {
    "before.whl": zip({ "a.zebin": plain, "notes.txt": Buffer.from("one") }),
    // The same kernel in another file, and a new one.
    "after.whl": zip({ "b/c.zebin": other, "d.zebin": spills, "notes.txt": Buffer.from("two") }),
  });
  const compare = panel(page, "Compare");
  const devices = compare.locator("table.by-device tbody tr");
  await devices.first().waitFor();
  assert.deepEqual((await devices.allInnerTexts()).map((row) => row.split(/\s+/)[0]).sort(), ["acm-g10", "bmg-g21"]);
  // A number lists its kernels.
  await devices.filter({ hasText: "acm" }).getByRole("button").first().click();
  await eventually(async () => (await texts(page, "differences", 1)).join(), "added,added,added");
  await devices.filter({ hasText: "acm" }).getByRole("button").first().click();
  await eventually(async () => (await texts(page, "differences", 2)).every((part) => part === "kernel"), true);
  await axe(page);
  await screenshot(page, "packages-compared");
  // The files themselves are compared on request.
  await compare.getByRole("button", { name: "Compare images, properties and symbols, too" }).click();
  await compare.getByText(/the bytes of/).first().waitFor();
  await axe(page);
});

journey("reading the first screen of a package can be stopped", { width: 1440, height: 900, slowDecoder: 300 }, async (page) => {
  const zebin = await readFile(sample("vecadd.bmg.zebin"));
  const files = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`k${i}.zebin`, Buffer.concat([zebin, Buffer.alloc(i + 1)])]));
  await dropBytes(page, { "slow.whl": zip(files) });
  const overview = panel(page, "Overview");
  await overview.getByRole("button", { name: "Stop" }).click();
  const resume = overview.getByRole("button", { name: "Resume" });
  await resume.waitFor();
  // What was not read is unknown, not absent.
  assert.equal(await overview.locator("table.survey").getByText("none", { exact: true }).count(), 0);
  await resume.click();
  await overview.locator(".reading").waitFor({ state: "detached" });
  await overview.getByRole("button", { name: "All kernels by device" }).waitFor();
});
