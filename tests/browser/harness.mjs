// Shared code of the journeys.
//
//   import { journey, dropFile, axe } from "./harness.mjs";
//
//   journey("a dropped file shows its kernels", { theme: "dark" }, async (page) => {
//     await dropFile(page, fixture("zebin/vecadd.zebin"));
//     await page.getByRole("tab", { name: "Kernels" }).click();
//     await axe(page);
//   });
//
// `page` is a Playwright page on the release folder, served from a subfolder of
// a host. A journey also fails on errors and warnings in the console, uncaught
// errors, violations of the Content-Security-Policy, and undeclared requests
// after the page has loaded.
//
// `node --test FILE` runs one file, `all.mjs` runs all of them in a few lanes. The files of a lane
// share a browser, and most journeys of a lane share a renderer process, so that the program is
// compiled once (see "Browser and server").

import * as node from "node:test";
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { setTimeout as pause } from "node:timers/promises";
import { chromium } from "playwright-core";
import { serve } from "./server.mjs";

const HERE = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
export const DIST = path.resolve(process.env.ZEVIEW_DIST ?? path.join(HERE, "../../dist"));
const OUT = path.join(HERE, "out");

/** Not the root of the host, so that addresses that only work there fail. */
const PREFIX = "/some/where/zeview/";

/**
 * Delay of every request to the decoder in milliseconds, and slowdown factor of the page's thread.
 * They expose races that do not occur on a fast machine.
 */
const SLOW_DECODER = Number(process.env.ZEVIEW_SLOW_DECODER ?? 0);
const SLOW_PAGE = Number(process.env.ZEVIEW_SLOW_PAGE ?? 1);

/**
 * Time limits of a test and of a single wait, in milliseconds. They only matter where a test fails, and
 * other programs may be using the processor.
 */
const SLOWNESS = SLOW_DECODER > 0 || SLOW_PAGE > 1 ? 4 : 1;
const TEST_TIMEOUT = 180_000 * SLOWNESS;
const WAIT_TIMEOUT = 30_000 * SLOWNESS;

/** Whether this is one of the processes of all.mjs. */
const isLane = Boolean(process.env.ZEVIEW_LANE);

/** Screenshots are for people, and take time: by default, only a file that runs alone takes them. */
const HAS_PICTURES = process.env.ZEVIEW_PICTURES ? process.env.ZEVIEW_PICTURES !== "0" : !isLane;

const CHROMIUM_FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--process-per-site",
  // Requests to other hosts fail.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
];

const CHROMIUM_PLACES = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/google-chrome",
  "/usr/bin/chromium-browser",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/**
 * Records the page's workers in `workers`: each decoder with the number of requests that it has not
 * answered. `killNext` ends a decoder at its next request, as if it ran out of memory. `inflated` is
 * the number of pieces that other workers have inflated.
 */
export async function keepWorkers(page) {
  await page.addInitScript(() => {
    globalThis.workers = [];
    globalThis.inflated = 0;
    globalThis.Worker = class extends Worker {
      pending = 0;
      constructor(...args) {
        super(...args);
        this.addEventListener("message", ({ data }) => {
          if (data?.piece) globalThis.inflated++;
          this.pending--;
        });
      }
      postMessage(...args) {
        // Nobody answers the connection of a decoder to the workers that inflate.
        if (args[0]?.inflater) globalThis.workers.push(this);
        else this.pending++;
        if (globalThis.killNext && globalThis.workers.includes(this) && !args[0]?.inflater) {
          globalThis.killNext = false;
          this.kill();
        } else {
          super.postMessage(...args);
        }
      }
      kill() {
        this.dead = true;
        this.terminate();
        this.dispatchEvent(new ErrorEvent("error", { message: "out of memory" }));
      }
    };
  });
}

/** Waits until all requests are answered: the decoder is restarted again if another one crashes it. */
export const isIdle = (page) => eventually(() => page.evaluate(() => globalThis.workers.filter((worker) => !worker.dead).map((worker) => worker.pending)), (counts) => counts.length > 0 && counts.every((count) => count === 0));

/** Simulates a decoder that runs out of memory. */
export function kill(page) {
  return page.evaluate(() => globalThis.workers.findLast((worker) => !worker.dead).kill());
}

/** The path of a file in tests/fixtures. */
export function fixture(name) {
  return path.join(HERE, "../fixtures", name);
}

/**
 * Registers a test with an open page, which fails if the page reports errors.
 *
 * @param {string} name
 * @param {OpenOptions | ((page: Page) => Promise<void>)} options of `openPage`; optional
 * @param {(page: Page) => Promise<void>} [run]
 */
export function journey(name, options, run) {
  if (typeof options === "function") [options, run] = [{}, options];
  const layout = panes === "" ? {} : { "zeview.panes": panes };
  const storage = { ...layout, ...options.storage };
  test(name, () => once({ ...options, storage }, run));
}

/** As in `node:test`, for tests that open their pages themselves, or none. */
export function test(name, run) {
  if (!isLane && tests.length === 0) node.after(finish);
  tests.push(node.test(name, { timeout: TEST_TIMEOUT }, run));
}

/** Calls a function after the tests of this file. */
export function atEnd(run) {
  ends.push(run);
}

async function once(options, run) {
  const page = await openPage(options);
  let failure = null;
  try {
    await run(page);
  } catch (error) {
    failure = error;
    watches.get(page).isSpent = true;
  }
  const errors = await closePage(page);
  if (failure) {
    // Errors on the page often explain the failure.
    if (errors.length > 0) failure.message += `\n\nthe page reported errors:\n${errors.join("\n")}`;
    throw failure;
  }
  assert.deepEqual(errors, [], "the page reported errors");
}

/**
 * Opens the page and waits until it has loaded.
 *
 * @typedef {object} OpenOptions
 * @property {"light" | "dark"} [theme] system preference; default: light
 * @property {number} [width] of the window in pixels; default: 1280
 * @property {number} [height] of the window in pixels; default: 800
 * @property {boolean} [forcedColors] emulate a high-contrast mode
 * @property {string} [address] relative address, such as "#k=vecadd" or "?url=…"
 * @property {boolean} [other] the address is not zeview's page
 * @property {"quiet" | "started"} [until] wait until the network is idle or until the
 *   app has started; default: quiet
 * @property {number} [slowDecoder] delay of every request to the decoder, in milliseconds
 * @property {Record<string, string>} [storage] initial localStorage
 * @property {boolean} [picker] keep the system's file dialog, which returns handles and which a
 *   journey cannot control; default: false
 * @property {boolean} [offline] allow the service worker; default: false
 * @property {object} [server] replaces the server of the release folder
 * @property {(page: Page) => Promise<void> | void} [before] called before the page loads, to
 *   declare errors or intercept requests
 * @param {OpenOptions} [options]
 * @returns {Promise<Page>} close it with `closePage`
 */
export async function openPage(options = {}) {
  const { theme = "light", width = WIDTH, height = HEIGHT } = options;
  const { forcedColors = false, address = "", other = false, storage = {}, before } = options;
  const { slowDecoder = SLOW_DECODER, until = "quiet" } = options;
  const { server: shared } = await surroundings();
  const { server = shared, offline = false, picker = false } = options;
  // The service worker and the handles of files outlive what `clear` removes.
  const context = offline || picker || server !== shared ? await newContext() : await sharedContext();
  const page = await context.newPage();
  watch(page, server);
  if (theme !== "light" || forcedColors) {
    await page.emulateMedia({ colorScheme: theme, forcedColors: forcedColors ? "active" : "none" });
  }
  if (width !== WIDTH || height !== HEIGHT) await page.setViewportSize({ width, height });
  await page.addInitScript((entries) => {
    // An empty page has none.
    if (!location.protocol.startsWith("http")) return;
    let kept;
    try {
      kept = localStorage;
    } catch {
      return; // Sandboxed frames have none.
    }
    // The page may have changed it before it was loaded again.
    for (const [key, value] of Object.entries(entries)) kept[key] ??= value;
  }, storage);
  // Its requests would come at any time.
  if (!offline) await page.addInitScript(() => delete Navigator.prototype.serviceWorker);
  if (!picker) await page.addInitScript(() => delete Window.prototype.showOpenFilePicker && delete window.showOpenFilePicker);
  await slowDown(page, slowDecoder);
  await before?.(page);
  await load(page, () => page.goto(server.url + address, { waitUntil: "load" }), { other, until });
  return page;
}

async function slowDown(page, decoder) {
  if (SLOW_PAGE > 1) {
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOW_PAGE });
  }
  if (decoder > 0) {
    await page.addInitScript((delay) => {
      globalThis.Worker = class extends Worker {
        postMessage(...message) {
          // A journey may change it.
          setTimeout(() => super.postMessage(...message), globalThis.decoderDelay ?? delay);
        }
      };
    }, decoder);
  }
}

/**
 * Navigates with `go` and waits until the page is quiet. Requests up to then do not count as
 * requests after load. `until` as in `openPage`.
 */
export async function load(page, go, { other = false, until = "quiet" } = {}) {
  const seen = watches.get(page);
  seen.late.push(...lateRequests(seen));
  seen.loaded = null;
  // The last request that the page sends by itself, when its scripts run.
  const isLast = (request) => /\/worker_bg\.wasm$/.test(request.url());
  const last = ["requestfinished", "requestfailed"].map((event) => page.waitForEvent(event, isLast).catch(() => {}));
  await go();
  if (!other) await page.locator("#starting").waitFor({ state: "detached" });
  if (until === "started") return;
  if (other) await page.waitForLoadState("networkidle");
  else await Promise.race([...last, page.locator("main.failure").waitFor().catch(() => {})]);
  seen.loaded = seen.server.log.length;
}

/** Closes the page and returns its errors, one line each. */
export async function closePage(page) {
  const errors = errorsOn(page);
  const { context, isSpent } = watches.get(page);
  if (context !== sharing?.context) await context.close();
  else if (isSpent) await dropShared();
  else await clear(sharing).catch(dropShared);
  return errors;
}

// -- Errors -------------------------------------------------------------------

/** Errors and requests of each page. */
const watches = new WeakMap();

function watch(page, server) {
  const context = page.context();
  const seen = { context, server, isSpent: false, errors: [], loaded: null, late: [], expectedRequests: [], expectedErrors: [] };
  watches.set(page, seen);
  // What pages of other sites store is not cleared but thrown away.
  page.on("framenavigated", (frame) => {
    if (/^[a-z]+:\/\//.test(frame.url()) && !frame.url().startsWith(server.origin)) seen.isSpent = true;
  });
  page.on("console", (message) => {
    // Violations of the Content-Security-Policy are errors in the console.
    if (message.type() !== "error" && message.type() !== "warning") return;
    const { url, lineNumber } = message.location();
    seen.errors.push(`console ${message.type()}: ${message.text()} (${url}:${lineNumber})`);
  });
  page.on("pageerror", (error) => seen.errors.push(`uncaught: ${error.stack || error}`));
  page.on("crash", () => {
    seen.isSpent = true;
    seen.errors.push("the page crashed");
  });
  page.on("request", (request) => {
    // The server logs its own requests, those of workers too.
    const url = request.url();
    if (/^https?:/.test(url) && !url.startsWith(server.origin)) {
      if (!isExpected(url, seen.expectedRequests)) seen.errors.push(`request to elsewhere: ${url}`);
    }
  });
}

/** The browser context of a page. What a journey sets there is gone after it. */
export function contextOf(page) {
  watches.get(page).isSpent = true;
  return page.context();
}

function errorsOn(page) {
  const seen = watches.get(page);
  const { errors, expectedRequests, expectedErrors } = seen;
  const late = [...seen.late, ...lateRequests(seen)]
    .filter((request) => !isExpected(request, expectedRequests))
    .map((request) => `request after load: ${request}`);
  return [...errors.filter((line) => !isExpected(line, expectedErrors)), ...late];
}

function lateRequests({ server, loaded }) {
  // Chromium requests the icon at any time.
  return server.log.slice(loaded ?? server.log.length).filter((request) => !request.endsWith("/icons/favicon.svg"));
}

function isExpected(text, patterns) {
  return patterns.some((pattern) => pattern.test(text));
}

/** Declares requests after load that the journey expects, such as `/samples\//`. */
export function expectRequests(page, ...patterns) {
  watches.get(page).expectedRequests.push(...patterns);
}

/** Declares errors that the journey expects. */
export function expectErrors(page, ...patterns) {
  watches.get(page).expectedErrors.push(...patterns);
}

// -- Files --------------------------------------------------------------------

/**
 * Drops a file on the page.
 *
 * @param {Page} page
 * @param {string} file its path
 * @param {object} [options] as in `dropBytes`
 */
export async function dropFile(page, file, options) {
  await dropBytes(page, { [path.basename(file)]: await readFile(file) }, options);
}

/**
 * Drops files with these names and bytes on the page, with the events of a browser:
 * dragenter, dragover and drop with one DataTransfer.
 *
 * @param {Page} page
 * @param {Record<string, Uint8Array>} files
 * @param {object} [options]
 * @param {string} [options.on] selector of the element under the pointer; default:
 *   the element in the middle of the window
 */
export async function dropBytes(page, files, { on } = {}) {
  const encoded = Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes).toString("base64")]);
  const accepted = await page.evaluate(
    ([files, selector]) => {
      const data = new DataTransfer();
      for (const [name, base64] of files) {
        const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
        data.items.add(new File([bytes], name));
      }
      const { innerWidth, innerHeight } = window;
      const target = selector
        ? document.querySelector(selector)
        : document.elementFromPoint(innerWidth / 2, innerHeight / 2);
      const box = target.getBoundingClientRect();
      const send = (type) => {
        const event = new DragEvent(type, {
          bubbles: true,
          cancelable: true,
          composed: true,
          clientX: box.x + box.width / 2,
          clientY: box.y + box.height / 2,
          dataTransfer: data,
        });
        return !target.dispatchEvent(event);
      };
      send("dragenter");
      // If dragover is not canceled, a browser opens the file itself.
      const accepted = send("dragover");
      if (accepted) send("drop");
      return accepted;
    },
    [encoded, on],
  );
  assert.ok(accepted, "the page does not accept a drop here");
}

/**
 * Drops files from the disk without reading them into memory, for files too large for `dropFile`.
 *
 * @param {Page} page
 * @param {string[]} files their paths
 * @param {object} [options] as in `dropBytes`
 */
export async function dropFromDisk(page, files, { on = "html" } = {}) {
  const box = await page.locator(on).boundingBox();
  const place = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const data = { items: [], files: files.map((file) => path.resolve(file)), dragOperationsMask: 1 };
  const session = await page.context().newCDPSession(page);
  await page.evaluate(() => {
    globalThis.dropped = new Promise((resolve) => {
      addEventListener("drop", () => resolve(true), { once: true, capture: true });
    });
  });
  // A drop is lost if the page changes the element under the pointer meanwhile; try again.
  for (let isDropped = false; !isDropped;) {
    for (const type of ["dragEnter", "dragOver", "drop"]) {
      await session.send("Input.dispatchDragEvent", { type, ...place, data });
    }
    isDropped = await page.evaluate(() => {
      const late = new Promise((resolve) => { setTimeout(resolve, 500, false); });
      return Promise.race([globalThis.dropped, late]);
    });
  }
  await session.detach();
}

// -- Checks -------------------------------------------------------------------

/**
 * Fails if axe-core reports a violation.
 *
 * @param {Page} page
 * @param {object} [options] of axe.run
 */
export async function axe(page, options = {}) {
  assert.deepEqual(await violations(page, options), [], "axe-core reports violations");
}

/** What axe-core reports, as lines. Options as in `axe`. */
export async function violations(page, options = {}) {
  // Evaluated by the debugger: the page's policy would refuse a script element.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(await axeSource());
  return page.evaluate(async (options) => {
    // Results of other types are large, and nobody reads them.
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"], ...options });
    return violations.flatMap(({ id, impact, help, nodes }) => [
      `${id} (${impact}): ${help}`,
      ...nodes.map((node) => `    ${node.target.join(" ")}: ${node.html}`),
    ]);
  }, options);
}

let axeText = null;
function axeSource() {
  axeText ??= readFile(path.join(HERE, "node_modules/axe-core/axe.min.js"), "utf8");
  return axeText;
}

/**
 * Waits until `look` returns the expected value; fails with the difference after a timeout.
 *
 * @template T
 * @param {() => Promise<T>} look
 * @param {T | RegExp | ((seen: T) => boolean)} expected a value, a pattern or a predicate
 */
export async function eventually(look, expected) {
  const check = (seen) => {
    if (typeof expected === "function") assert.ok(expected(seen), `${expected}: ${JSON.stringify(seen)}`);
    else if (expected instanceof RegExp) assert.match(seen, expected);
    else assert.deepEqual(seen, expected);
  };
  const start = Date.now();
  // Looking takes processor time from what it waits for: less and less often.
  for (const end = start + WAIT_TIMEOUT; ; await pause(Math.min(20 + (Date.now() - start) / 20, 60))) {
    const seen = await look();
    try {
      return check(seen);
    } catch (difference) {
      if (Date.now() > end) throw difference;
    }
  }
}

/**
 * Scrolls through a grid and checks at each position that the right rows are in the DOM, and few others.
 *
 * @param {Page} page
 * @param {string} id of the grid
 * @param {number} last the number of its last row
 */
/** The panels of the levels that are not Library. */
const LEVELS = {
  Kernel: ["Assembly", "Step", "Arguments"],
  File: ["Problems", "Text", "Symbols", "Relocations", "Source", "Bookmarks"],
};

/**
 * Chooses the tab of a panel, and its level before. `root` is the page, or the frame with the tab.
 */
export async function choose(tab, root = tab.page()) {
  const above = level(tab, root);
  await above.waitFor();
  if ((await above.getAttribute("aria-selected")) !== "true") await above.click();
  await tab.click();
}

/** The tab of the level that the tab of a panel belongs to. */
export function level(tab, root = tab.page()) {
  // Its name, as in the locator: "Kernels", or /^Kernels/.
  const has = (names) => names.some((name) => tab.toString().includes(name));
  const name = Object.keys(LEVELS).find((level) => has(LEVELS[level])) ?? "Library";
  return root.getByRole("tablist", { name: "Level" }).getByRole("tab", { name });
}

export async function scrollThrough(page, id, last) {
  const numbers = () => page.locator(`#${id} [data-row]`).evaluateAll((rows) => rows.map((row) => Number(row.dataset.row)));
  for (const place of [0.1, 0.35, 0.6, 0.85, 1]) {
    await page.locator(`#${id}`).evaluate((grid, to) => { grid.scrollTop = to * grid.scrollHeight; }, place);
    const near = Math.round(place * last);
    await eventually(numbers, (seen) => seen.length < 100 && seen.some((row) => Math.abs(row - near) < 60));
  }
  await page.locator(`#${id} [data-row='${last}']`).waitFor();
}

/**
 * Shows the start of the code in Assembly and selects its first instruction: code with loops opens at
 * its costliest loop. Waits for the data flow of the visible code.
 *
 * @param {Page} page
 */
export async function showCodeStart(page) {
  await page.getByRole("group", { name: "Figures" }).getByRole("button", { name: /live$/ }).waitFor();
  await page.locator("#instructions").press("Control+Home");
  await page.locator("#instructions [data-row='0'][aria-selected=true]").waitFor();
}

/** Saves a screenshot of the window to tests/browser/out, if pictures are wanted. */
export async function screenshot(page, name) {
  if (!HAS_PICTURES) return;
  await mkdir(OUT, { recursive: true });
  await page.screenshot({ path: path.join(OUT, `${name}.png`) });
}

// -- Files of journeys ----------------------------------------------------------

/** Stored layout with all panes visible next to every panel. */
export const ALL_PANES = [
  "overview", "files", "matrix", "kernels", "arguments", "assembly", "images", "devices", "compare", "problems", "modules",
  "properties", "text", "source-lines", "symbols", "relocations", "bookmarks", "sides",
].map((panel) => `${panel}=sbi`).join(" ");

/** Stored layout with the tree and the bytes next to the panels about the whole file. */
const FILE_PANES = ["overview", "modules", "properties", "devices", "images"].map((panel) => `${panel}=sbi`).join(" ");

let panes = FILE_PANES;

/**
 * Shows all panes next to every panel in the journeys of this file, to follow a selection from pane to
 * pane. By default, the overview has all panes: most journeys begin there, in the tree.
 */
export function showAllPanes() {
  panes = ALL_PANES;
}

/** The tests of the current file, and what follows them. */
let tests = [];
let ends = [];

/** Imports a file of journeys and resolves when its tests have ended (lane.mjs). */
export async function runFile(file) {
  panes = FILE_PANES;
  tests = [];
  ends = [];
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    test(path.basename(file), () => { throw error; });
  }
  await Promise.all(tests);
  for (const end of ends) await end();
}

async function finish() {
  for (const end of ends) await end();
  await closeBrowser();
}

// -- Browser and server ---------------------------------------------------------

const WIDTH = 1280;
const HEIGHT = 800;

let started = null;
let sharing = null;

function surroundings() {
  started ??= start();
  return started;
}

async function start() {
  assert.ok(existsSync(path.join(DIST, "index.html")), `no release folder at ${DIST}: cargo xtask dist`);
  const executablePath = CHROMIUM_PLACES.find((place) => place && existsSync(place));
  assert.ok(executablePath, "Chromium not found; set the variable CHROMIUM to its path");
  const server = await serve(DIST, { prefix: PREFIX });
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
  return { browser, server };
}

async function newContext() {
  const { browser } = await surroundings();
  const context = await browser.newContext({ reducedMotion: "reduce", viewport: { width: WIDTH, height: HEIGHT } });
  context.setDefaultTimeout(WAIT_TIMEOUT);
  return context;
}

/**
 * The context of most journeys, one after the other. All its pages are in one process, which a small page
 * keeps alive: there, the program is compiled once. A process of its own takes 1.1 s of processor
 * time until the page has started, this one 0.4 s.
 */
async function sharedContext() {
  if (sharing) return sharing.context;
  const { server } = await surroundings();
  const context = await newContext();
  const keeper = await context.newPage();
  await keeper.goto(`${server.url}samples/README.md`);
  const session = await context.newCDPSession(keeper);
  sharing = { context, keeper, session, origin: server.origin };
  return context;
}

/** Closes the pages of a journey and removes all that it stored. */
async function clear({ context, keeper, session, origin }) {
  await Promise.all(context.pages().filter((page) => page !== keeper).map((page) => page.close()));
  await keeper.evaluate(() => localStorage.clear());
  await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "all" });
}

async function dropShared() {
  const { context } = sharing;
  sharing = null;
  await context.close();
}

/** Stops the browser and the server that `openPage` has started. Scripts without tests call it at the end. */
export async function closeBrowser() {
  if (!started) return;
  const { browser, server } = await started;
  await browser.close();
  await server.close();
}
