// Takes the screenshots of the README and the documentation from the current page: `cargo xtask
// pictures`.

import { writeFile } from "node:fs/promises";
import path from "node:path";
import gifenc from "gifenc";
import { choose, closeBrowser, closePage, dropFile, expectRequests, openPage, showAllPanes } from "./harness.mjs";

const DOCS = path.join(import.meta.dirname, "../../docs");
/** The picture of the README; the others belong to the documentation. */
const README = "page.png";
const SAMPLES = path.join(import.meta.dirname, "../../www/samples");
const WINDOW = { width: 1440, height: 900 };
const ANIMATION = { width: 1180, height: 720 };
const FRAME = 3000; // Milliseconds.

// Every panel with all panes, as on a large screen.
showAllPanes();

const pictures = {
  async page(page) {
    await dropFile(page, path.join(SAMPLES, "spill.dg2.zebin"));
    await choose(page.getByRole("tab", { name: "Kernels", exact: true }));
    await page.evaluate(() => { location.hash = "#k=spill&f=spill_size&panel=kernels"; });
    await page.getByRole("treeitem", { name: /^spill_size/, selected: true }).waitFor();
    await page.getByRole("row", { name: /^spill\b/, selected: true }).waitFor();
  },
  async assembly(page) {
    await dropFile(page, path.join(SAMPLES, "spill.dg2.zebin"));
    await choose(page.getByRole("tab", { name: "Assembly", exact: true }));
    await page.evaluate(() => { location.hash = "#k=spill&pc=0x288&panel=assembly"; });
    const chosen = page.getByRole("region", { name: "Selected instruction" });
    await chosen.getByRole("list", { name: "Parts of the instruction" }).waitFor();
    await page.getByRole("grid", { name: "Assembly" }).getByRole("row", { selected: true }).getByText(/^r38/).click();
  },
};

/** Takes a screenshot once the page is idle. */
async function picture(page) {
  await page.mouse.move(0, 0);
  await page.waitForTimeout(500);
  return page.screenshot();
}

/** The tour of a sample, one screenshot per step. */
async function* look(page) {
  yield picture(page);
  expectRequests(page, /samples\//);
  await page.getByRole("button", { name: /Take the tour/ }).click();
  const guide = page.getByRole("region", { name: "Tour" });
  await guide.waitFor();
  const next = guide.getByRole("button", { name: "Next" });
  yield picture(page);
  while (await next.count()) {
    await next.click();
    yield picture(page);
  }
}

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

async function save(name, bytes) {
  const file = name === README ? name : `src/pictures/${name}`;
  await writeFile(path.join(DOCS, file), bytes);
  console.log(`docs/${file}: ${Math.ceil(bytes.length / 1000)} KB`);
}

async function finish(page) {
  const errors = await closePage(page);
  if (errors.length > 0) throw new Error(errors.join("\n"));
}

try {
  for (const [name, show] of Object.entries(pictures)) {
    const page = await openPage(WINDOW);
    await show(page);
    await save(`${name}.png`, await picture(page));
    await finish(page);
  }
  const page = await openPage(ANIMATION);
  const gif = gifenc.GIFEncoder();
  for await (const png of look(page)) {
    const frame = await pixels(page, png);
    const palette = gifenc.quantize(frame, 256);
    gif.writeFrame(gifenc.applyPalette(frame, palette), ANIMATION.width, ANIMATION.height, { palette, delay: FRAME });
  }
  gif.finish();
  await save("look.gif", gif.bytes());
  await finish(page);
} finally {
  await closeBrowser();
}
