// Takes the pictures of the README and the documentation from the page in dist/, and records what they show: `cargo xtask
// pictures [NAME…]`. `NAME` is a part of a file's name; without one, all pictures are taken.
//
// The states of the page are in `picture_states.mjs`. The pictures of the VS Code extension show the editor around the page:
// its journeys take them (`cargo xtask test dist editors`, which writes them to editors/vscode/test/out).

import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import gifenc from "gifenc";
import { closeBrowser, closePage, keepWorkers, openPage } from "./harness.mjs";
import { RECORD, format, parse, settled, shown, sum, toLines } from "./picture_record.mjs";
import { PICTURES, ROOT, statesOf } from "./picture_states.mjs";

const FRAME = 3000; // Milliseconds.

/** The pixels of a PNG, decoded by the browser. */
async function pixels(page, png) {
  const text = await page.evaluate(async (source) => {
    const bytes = Uint8Array.from(atob(source), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    let letters = "";
    for (let at = 0; at < data.length; at += 32768) letters += String.fromCharCode(...data.subarray(at, at + 32768));
    return btoa(letters);
  }, png.toString("base64"));
  return new Uint8Array(Buffer.from(text, "base64"));
}

/** Whether two pictures differ in some edges of letters at most, as two runs of a browser do: then the file is kept. */
async function isSame(page, before, now) {
  const [a, b] = [await pixels(page, before), await pixels(page, now)];
  return a.length === b.length && a.reduce((count, value, at) => count + (value === b[at] ? 0 : 1), 0) < 100;
}

/** An animation of screenshots. */
async function animation(page, { width, height }, screenshots) {
  const gif = gifenc.GIFEncoder();
  for (const png of screenshots) {
    const frame = await pixels(page, png);
    const palette = gifenc.quantize(frame, 256);
    gif.writeFrame(gifenc.applyPalette(frame, palette), width, height, { palette, delay: FRAME });
  }
  gif.finish();
  return gif.bytes();
}

async function take({ file, options, ...picture }) {
  const page = await openPage({ ...options, before: keepWorkers });
  const screenshots = [];
  const states = [];
  for await (const _ of statesOf(picture, page)) {
    await settled(page);
    screenshots.push(await page.screenshot());
    states.push(toLines(await shown(page)));
  }
  const bytes = file.endsWith(".gif") ? await animation(page, options, screenshots) : screenshots[0];
  const target = path.join(ROOT, file);
  await mkdir(path.dirname(target), { recursive: true });
  const isKept = file.endsWith(".png") && existsSync(target) && (await isSame(page, await readFile(target), bytes));
  if (!isKept) await writeFile(target, bytes);
  const errors = await closePage(page);
  if (errors.length > 0) throw new Error(`${file}: ${errors.join("\n")}`);
  console.log(`${file}: ${isKept ? "as before" : `${Math.ceil(bytes.length / 1000)} KB`}`);
  return { sum: await sum(file), states };
}

const names = process.argv.slice(2);
const isWanted = ({ file }) => names.length === 0 || names.some((name) => file.includes(name));
const known = parse(await readFile(RECORD, "utf8").catch(() => ""));
const failed = [];
try {
  for (const picture of PICTURES.filter(isWanted)) {
    // The others are taken all the same: one state that is not reached is repaired, and taken alone.
    await take(picture).then((record) => known.set(picture.file, record), (error) => failed.push(`${picture.file}: ${error.stack ?? error}`));
  }
  const records = PICTURES.filter(({ file }) => known.has(file)).map(({ file }) => [file, known.get(file)]);
  await writeFile(RECORD, format(new Map(records)));
} finally {
  await closeBrowser();
}
if (failed.length > 0) {
  console.error(failed.join("\n\n"));
  process.exit(1);
}
