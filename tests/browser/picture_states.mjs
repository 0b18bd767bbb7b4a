// The states of the page that the pictures of the README and the documentation show.
//
// `pictures.mjs` takes the pictures in these states, `pictures.test.mjs` checks that the page still shows in them what it
// showed then. Both bring the page there with the functions of this file, which find their way by roles and names.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { ALL_PANES, choose, dropBytes, dropFile, expectRequests } from "./harness.mjs";

/** The root of the repository: names of pictures are relative to it. */
export const ROOT = path.join(import.meta.dirname, "../..");

const sample = (name) => path.join(ROOT, "www/samples", name);
/** The files of the tutorials. */
const tutorial = (name) => path.join(ROOT, "docs/src/tutorials/files", name);

/** Of the README: the whole page on a large screen. */
const LARGE = { width: 1440, height: 900 };
/** In the text of the documentation, which is 860 pixels wide: smaller windows keep their text readable there. */
const SMALL = { width: 1180, height: 720 };

const tab = (page, name) => page.getByRole("tablist", { name: "Panels" }).getByRole("tab", { name });
const assembly = (page) => page.getByRole("grid", { name: "Assembly" });
const selectedRow = (grid) => grid.getByRole("row", { selected: true });
const figures = (page) => page.getByRole("group", { name: "Figures" });

/** Follows a link within the open file. */
const follow = (page, link) => page.evaluate((hash) => { location.hash = hash; }, link);

async function dropTogether(page, files) {
  const read = async (file) => [path.basename(file), await readFile(file)];
  await dropBytes(page, Object.fromEntries(await Promise.all(files.map(read))));
}

/** Opens a file and shows the code of a kernel. */
async function openCode(page, file, link) {
  await dropFile(page, file);
  await choose(tab(page, "Kernels"));
  await follow(page, link);
  await assembly(page).getByRole("row").nth(1).waitFor();
}

/** Opens what is known of a figure above the code. */
async function openFigure(page, name) {
  const figure = figures(page).getByRole("button", { name });
  await figure.waitFor();
  if ((await figure.getAttribute("aria-expanded")) !== "true" && (await figure.getAttribute("aria-pressed")) !== "true") await figure.click();
}

/**
 * @typedef {object} Picture
 * @property {string} file its name, relative to the root of the repository
 * @property {object} options of `openPage`
 * @property {(page: Page) => Promise<void>} [show] brings the page into the state
 * @property {(page: Page) => AsyncGenerator<void>} [frames] of an animation: yields in each state
 *
 * @type {Picture[]}
 */
export const PICTURES = [
  {
    file: "docs/page.png",
    options: { ...LARGE, storage: { "zeview.panes": ALL_PANES } },
    async show(page) {
      await dropFile(page, sample("spill.dg2.zebin"));
      await choose(tab(page, "Kernels"));
      await follow(page, "#k=spill&f=spill_size&panel=kernels");
      await page.getByRole("treeitem", { name: /^spill_size/, selected: true }).waitFor();
      await page.getByRole("row", { name: /^spill\b/, selected: true }).waitFor();
    },
  },
  {
    file: "docs/src/pictures/look.gif",
    options: SMALL,
    async *frames(page) {
      yield;
      expectRequests(page, /samples\//);
      await page.getByRole("button", { name: /Take the tour/ }).click();
      const tour = page.getByRole("region", { name: "Tour" });
      await tour.waitFor();
      yield;
      const next = tour.getByRole("button", { name: "Next" });
      while (await next.count()) {
        const heading = await tour.getByRole("heading").first().innerText();
        await next.click();
        await tour.getByRole("heading", { name: heading }).waitFor({ state: "detached" });
        yield;
      }
    },
  },
  {
    file: "docs/src/pictures/assembly.png",
    options: SMALL,
    async show(page) {
      await openCode(page, sample("spill.dg2.zebin"), "#k=spill&pc=0x288&panel=assembly");
      await selectedRow(assembly(page)).getByText(/^r38/).click();
    },
  },
  {
    file: "docs/src/pictures/spills.png",
    options: SMALL,
    async show(page) {
      await openCode(page, sample("spill.dg2.zebin"), "#k=spill&panel=assembly");
      await openFigure(page, /live$/);
    },
  },
  {
    file: "docs/src/pictures/graph.png",
    options: SMALL,
    async show(page) {
      await openCode(page, sample("matmul.syclbin"), "#kernel=matmul&target=bmg&panel=assembly");
      await page.getByRole("button", { name: "Graph" }).click();
    },
  },
  {
    file: "docs/src/pictures/waits.png",
    options: SMALL,
    async show(page) {
      await dropTogether(page, [sample("matmul.syclbin"), sample("matmul.csv")]);
      await page.getByRole("region", { name: "Profile" }).getByRole("button", { name: "+0x340" }).click();
      await selectedRow(assembly(page)).filter({ hasText: "$6.dst" }).waitFor();
      await openFigure(page, /samples/);
    },
  },
  {
    file: "docs/src/pictures/wheel.png",
    options: SMALL,
    async show(page) {
      await dropFile(page, sample("vectors-1.0-py3-none-linux_x86_64.whl"));
      await page.getByRole("tabpanel", { name: "Overview" }).getByText("bmg-g21").first().waitFor();
    },
  },
  {
    file: "docs/src/pictures/recompiled.png",
    options: SMALL,
    async show(page) {
      await dropFile(page, sample("spill.dg2.zebin"));
      const device = page.getByLabel("Check another GPU");
      await device.fill("B580");
      await device.press("Enter");
      await page.getByText(/built for acm-g10/).first().waitFor();
    },
  },
  {
    file: "docs/src/pictures/compilers.png",
    options: SMALL,
    async show(page) {
      await dropTogether(page, [tutorial("arrays-igc1.tgllp.zebin"), tutorial("arrays-igc2.tgllp.zebin")]);
      await page.getByRole("grid", { name: "Differences" }).getByRole("row").nth(1).waitFor();
    },
  },
  {
    file: "docs/src/pictures/triton.png",
    options: SMALL,
    async show(page) {
      await dropTogether(page, [tutorial("softmax-4.bmg.zebin"), tutorial("softmax.py")]);
      await choose(page.getByRole("tab", { name: "Step", exact: true }));
      await page.getByRole("region", { name: "softmax.py", exact: true }).getByRole("option", { name: /tl\.load/ }).click({ position: { x: 4, y: 4 } });
    },
  },
];

/** Brings the page into each state of a picture, one after the other. */
export async function* statesOf({ show, frames }, page) {
  if (frames) return yield* frames(page);
  await show(page);
  yield;
}
