// Journeys through the viewer in VS Code.

import assert from "node:assert/strict";
import { readFile, rm, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { archive, withCode } from "../../../tests/browser/generated.mjs";
import { eventually, journey } from "./harness.mjs";

const ROOT = path.join(import.meta.dirname, "../../..");
const sample = (name) => readFile(path.join(ROOT, "www/samples", name));
const fixture = (name) => readFile(path.join(ROOT, "tests/fixtures", name));

const SPILL = "spill.dg2.zebin";
const VECADD = "vecadd.bmg.zebin";
const BEFORE = "vecadd-O0.bmg.zebin";
const LINES = "debugme.tgllp.igc1.12504.zebin";

for (const theme of ["light", "dark", "contrast"]) {
  journey(`from a sample to a kernel's assembly, ${theme}`, { samples: [SPILL], theme }, async (vscode) => {
    const { viewer } = vscode;
    await vscode.open(SPILL);
    await vscode.tab("Overview").waitFor();
    await viewer.getByText("acm-g10").first().waitFor();
    await vscode.screenshot(`overview-${theme}`);
    await vscode.tab(/^Kernels/).click();
    await viewer.locator("#kernels [data-row='0']").waitFor();
    await vscode.screenshot(`kernels-${theme}`);
    await viewer.locator("#kernels [data-row='0'] [role=gridcell]").first().dblclick();
    await vscode.tab("Assembly").click();
    await viewer.locator("#instructions .asm").first().waitFor();
    await viewer.getByRole("group", { name: "Data flow" }).waitFor();
    await vscode.screenshot(`assembly-${theme}`);

    // The colors and fonts of the editor.
    const colors = (locator, name) => locator.evaluate((element, name) => getComputedStyle(element)[name], name);
    const editor = await vscode.page.locator(".monaco-workbench .part.editor .content").first()
      .evaluate((element) => getComputedStyle(element).getPropertyValue("--vscode-editor-background").trim());
    const page = await viewer.locator("body").evaluate((body) => getComputedStyle(body).getPropertyValue("--vscode-editor-background").trim());
    assert.equal(page, editor);
    const rgb = await colors(viewer.locator("body"), "backgroundColor");
    const [, r, g, b] = /^#(..)(..)(..)/.exec(editor);
    assert.equal(rgb, `rgb(${[r, g, b].map((part) => parseInt(part, 16)).join(", ")})`);
    assert.equal(await viewer.locator("html").getAttribute("data-theme"), theme === "light" ? "light" : "dark");
  });
}

journey("the panel and the selection are remembered", { samples: [SPILL, VECADD] }, async (vscode) => {
  const { viewer, page } = vscode;
  await vscode.open(SPILL);
  await vscode.tab(/^Kernels/).click();
  await viewer.locator("#kernels [data-row='2'] [role=gridcell]").first().click();
  const current = () => viewer.locator("#kernels [aria-selected=true] [role=gridcell]").first().innerText();
  await viewer.locator("#kernels [data-row='2'][aria-selected=true]").waitFor();
  const name = await current();
  // Behind another file: VS Code discards the page and loads it again.
  await vscode.open(VECADD);
  await viewer.getByText("bmg-g21").first().waitFor();
  await page.getByRole("tab", { name: new RegExp(`^${SPILL}`) }).first().click();
  await eventually(current, (now) => now === name);
  // Closed and opened again.
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Control+w");
  await page.locator("iframe.webview").first().waitFor({ state: "detached" });
  await vscode.open(SPILL);
  await eventually(current, (now) => now === name);
});

journey("a kernel is chosen by its name", { samples: [SPILL] }, async (vscode) => {
  await vscode.open(SPILL);
  await vscode.tab("Overview").waitFor();
  await vscode.command("zeview: Disassemble kernel…");
  await vscode.page.locator(".quick-input-list").getByText("hugeprivate").first().waitFor();
  await vscode.screenshot("kernel-pick");
  await vscode.pick("hugeprivate");
  await vscode.viewer.getByRole("tab", { name: "Assembly", selected: true }).waitFor();
  await vscode.viewer.locator("#instructions .asm").first().waitFor();
  await vscode.viewer.getByRole("combobox").filter({ hasText: "hugeprivate" }).first().waitFor();
});

journey("two builds are compared", { samples: [VECADD, BEFORE] }, async (vscode) => {
  await vscode.open(VECADD);
  await vscode.tab("Overview").waitFor();
  await vscode.command("zeview: Compare with…");
  await vscode.answer(vscode.path(BEFORE));
  await vscode.viewer.getByRole("tab", { name: /^Compare/, selected: true }).waitFor();
  await vscode.viewer.locator("#differences [data-row='0']").waitFor();
  await vscode.screenshot("compare");
});

// The later file is not open, behind another tab, or in front.
for (const opened of [[], [VECADD, SPILL], [VECADD]]) {
  journey(`two files of the Explorer are compared, after ${opened.length} were opened`, { samples: [VECADD, BEFORE, SPILL] }, async (vscode) => {
    const { page, viewer } = vscode;
    for (const name of opened) {
      await vscode.open(name);
      await vscode.tab("Overview").waitFor();
    }
    const row = (name) => page.locator(".explorer-folders-view").getByRole("treeitem", { name, exact: true });
    await row(BEFORE).click();
    await row(VECADD).click({ modifiers: ["Control"] });
    const item = page.getByRole("menuitem", { name: "Compare with…" });
    // A menu closes if the Explorer changes meanwhile, and ignores clicks at first.
    await eventually(async () => {
      await page.keyboard.press("Escape");
      await row(VECADD).click({ button: "right" });
      await pause(500);
      return item.click({ timeout: 3000 }).then(() => true, () => false);
    }, (isClicked) => isClicked);
    await viewer.getByRole("tab", { name: /^Compare/, selected: true }).waitFor();
    await viewer.locator("#differences [data-row='0']").waitFor();
    await vscode.screenshot(`compare-explorer-${opened.length}`);
    assert.equal(await viewer.getByText("the file has no bytes").count(), 0);
    assert.equal(await viewer.getByText("1 kernel added").count(), 0);
  });
}

journey("the report is saved", { samples: [SPILL] }, async (vscode) => {
  await vscode.open(SPILL);
  await vscode.tab("Overview").waitFor();
  await vscode.command("zeview: Save report");
  const target = vscode.path("report.html");
  await vscode.answer(target);
  const text = await eventually(() => readFile(target, "utf8").catch(() => ""), (text) => text.length > 0);
  assert.match(text, /^<!doctype html>/i);
  assert.match(text, /hugeprivate/);
});

journey("problems are in the Problems view, with their bytes", { samples: ["damaged.zebin"] }, async (vscode) => {
  await vscode.open("damaged.zebin");
  await vscode.tab("Overview").waitFor();
  await vscode.command("Problems: Focus on Problems View");
  const rows = vscode.page.locator(".markers-panel .monaco-list-row");
  await rows.filter({ hasText: /\(bytes 0x[0-9a-f]+–0x[0-9a-f]+\)/ }).first().waitFor();
  await vscode.screenshot("problems");
  await vscode.page.getByRole("tab", { name: /^damaged\.zebin/ }).first().click();
  await vscode.command("View: Close Editor");
  await eventually(() => rows.filter({ hasText: "(bytes" }).count(), (count) => count === 0);
});

journey("a source line opens its file, and the cursor there selects code", {
  files: { [LINES]: await fixture(`zebin/${LINES}`), "src/debugme.cl": await fixture("src/debugme.cl") },
}, async (vscode) => {
  const { viewer, page } = vscode;
  await vscode.open(LINES);
  await vscode.tab("Source lines").click();
  await viewer.locator("#source-lines [data-row='1'] [role=gridcell]").first().click();
  await viewer.getByRole("button", { name: "Open source" }).click();
  const cursor = page.locator(".monaco-editor .current-line");
  await cursor.first().waitFor();
  await page.getByText(/^Ln 5, Col/).waitFor();
  await vscode.screenshot("source");
  // The cursor in line 9.
  await page.locator(".monaco-editor .view-line").nth(8).click();
  await page.getByText(/^Ln 9, Col/).waitFor();
  await viewer.getByText("debugme.cl, line 9").first().waitFor();
});

journey("a rebuilt file is shown again, and compared with its previous version", {
  files: { "kernel.zebin": await sample(BEFORE) },
}, async (vscode) => {
  const { viewer } = vscode;
  await vscode.open("kernel.zebin");
  await vscode.tab(/^Kernels/).click();
  await viewer.locator("#kernels [data-row='0']").waitFor();
  await viewer.getByRole("button", { name: "Watch the file", pressed: true }).waitFor();
  await writeFile(vscode.path("kernel.zebin"), await sample(VECADD));
  await viewer.getByText("kernel.zebin changed and was reloaded.").waitFor();
  await viewer.getByRole("button", { name: /Compare with the previous build/ }).click();
  await viewer.locator("#differences [data-row='0']").waitFor();
  await viewer.getByRole("tab", { name: /^Compare/, selected: true }).waitFor();
});

journey("in VS Code for the Web, a file is read as a whole and decoded in the webview", {
  samples: [SPILL, VECADD, BEFORE],
  settings: { "remote.extensionKind": { "zeview.zeview": ["web"] } },
}, async (vscode) => {
  const { viewer } = vscode;
  await vscode.open(VECADD);
  await viewer.getByText("bmg-g21").first().waitFor();
  assert.equal(await viewer.locator("script[data-decoder]").count(), 0, "the decoder runs beside the extension");
  await vscode.command("zeview: Compare with…");
  await vscode.answer(vscode.path(BEFORE));
  await viewer.locator("#differences [data-row='0']").waitFor();
  await vscode.screenshot("web");
});

/** Opens a large file. Returns the time until it is shown, and the bytes read until it is complete. */
async function openLarge(vscode, name) {
  const { viewer } = vscode;
  // Starts the extension and compiles its programs.
  await vscode.open(VECADD);
  await vscode.tab("Overview").waitFor();
  const before = await vscode.bytesRead();
  assert.ok(before > 0, "the extension host was not found");
  await vscode.openWith(name);
  const begin = Date.now();
  await viewer.getByRole("treeitem", { name }).first().waitFor();
  const milliseconds = Date.now() - begin;
  return { milliseconds, bytes: await vscode.bytesReadAtRest() - before };
}

/**
 * An archive of 100 MB, as ocloc writes it: 32 images with much code. Their lengths differ, because
 * images of the same length are compared, which reads them.
 */
async function large() {
  const image = await sample(SPILL);
  return archive(Array.from({ length: 32 }, (_, i) => [`64.12.${i}.0`, withCode(image, 100_000 + 6_000 * i)]));
}

/** A program with small images for two devices and 100 MB of other data. */
async function program() {
  return Buffer.concat([await sample("program.host"), Buffer.alloc(100e6, "data")]);
}

// Overview shows the kernels of all images, so it reads their parts that have them; images of real
// libraries are compressed, and read as a whole. Nothing else is read, until Overview is complete.
const { ZEVIEW_LARGE } = process.env;
const libraries = [["program", await program(), 0.1], ["kernels.ar", await large(), 0.1]];
if (ZEVIEW_LARGE) libraries.push(["library.so", await readFile(ZEVIEW_LARGE), 1.2]);

for (const [name, content, share] of libraries) {
  journey(`a file of 100 MB opens within 2 s, and only what is shown is read: ${name}`, {
    samples: [VECADD],
    files: { [name]: content },
  }, async (vscode) => {
    const { milliseconds, bytes } = await openLarge(vscode, name);
    console.log(`# ${name}, ${content.length} bytes: ${milliseconds} ms, ${bytes} bytes read`);
    await vscode.screenshot(name);
    assert.ok(milliseconds < 2000, `${milliseconds} ms`);
    assert.ok(bytes < share * content.length, `${bytes} bytes`);
  });
}

journey("files that are no device code, empty, truncated, huge or gone have clear messages", {
  samples: [VECADD],
  files: { "notes.zebin": "no binary at all\n", "empty.zebin": "", "cut.zebin": (await sample(VECADD)).subarray(0, 900), "huge.zebin": "" },
}, async (vscode) => {
  const { viewer, page } = vscode;
  // Without blocks on the disk.
  await truncate(vscode.path("huge.zebin"), 5e9);
  await vscode.open("huge.zebin");
  await viewer.getByText("not a GPU binary that zeview reads").waitFor();
  await viewer.getByText("5 000 000 000").first().waitFor();
  await vscode.open("notes.zebin");
  await viewer.getByText("not a GPU binary that zeview reads").waitFor();
  await vscode.open("empty.zebin");
  await viewer.getByText("the file has no bytes").first().waitFor();
  await vscode.open("cut.zebin");
  await viewer.getByText(/malformed/).first().waitFor();
  // Gone while another file is in front, and back again.
  await vscode.open(VECADD);
  await viewer.getByText("bmg-g21").first().waitFor();
  await vscode.open("notes.zebin");
  await viewer.getByText("not a GPU binary that zeview reads").waitFor();
  await rm(vscode.path(VECADD));
  await page.getByRole("tab", { name: new RegExp(`^${VECADD}`) }).first().click();
  await viewer.getByText("It was moved or deleted.").waitFor();
  await vscode.screenshot("gone");
  await writeFile(vscode.path(VECADD), await sample(VECADD));
  await viewer.getByText("bmg-g21").first().waitFor();
});
