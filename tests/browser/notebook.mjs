// Documents in JupyterLab and Notebook, in a virtual environment with the wheel: `cargo xtask test
// notebook` creates it. ZEVIEW_PYTHON is its interpreter, ZEVIEW_NOTEBOOKS a folder for files.

import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFile, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { chromium } from "playwright-core";
import { choose, eventually, screenshot } from "./harness.mjs";

const SAMPLES = path.join(import.meta.dirname, "../../www/samples");
const FOLDER = path.resolve(process.env.ZEVIEW_NOTEBOOKS);
const ROOT = path.join(FOLDER, "root");
const HOME = path.join(FOLDER, "home");
const TIMEOUT = { timeout: 180_000 };

/** Makes anywidget look as if it were not installed. */
const PLAIN = 'import sys; sys.modules["anywidget"] = None';

const CELLS = {
  "widget.ipynb": [
    'import zeview\nzeview.open("spill.dg2.zebin")',
    'zeview.open("vecadd.bmg.zebin").view(height=420, panel="assembly", select="k=vecadd", panes="none")',
    'zeview.open("kernels600.dg2.zebin")',
  ],
  "html.ipynb": [
    `${PLAIN}\nimport zeview\nzeview.open("spill.dg2.zebin")`,
    'zeview.open("vecadd.bmg.zebin")',
    'zeview.open("kernels600.dg2.zebin")',
  ],
};

let server;
let browser;

before(async () => {
  for (const folder of [ROOT, HOME]) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
  }
  for (const name of ["spill.dg2.zebin", "vecadd.bmg.zebin", "kernels600.dg2.zebin"]) {
    await copyFile(path.join(SAMPLES, name), path.join(ROOT, name));
  }
  for (const [name, cells] of Object.entries(CELLS)) await writeNotebook(name, cells.map((source) => ({ source, outputs: [] })));
  await setting("notification", { fetchNews: "false", checkForUpdates: false });
  server = await startServer();
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
}, TIMEOUT);

after(async () => {
  await browser?.close();
  server?.process.kill();
});

async function writeNotebook(name, cells) {
  const notebook = {
    cells: cells.map(({ source, outputs }, at) => ({
      cell_type: "code", execution_count: null, id: `cell-${at}`, metadata: {}, outputs, source,
    })),
    metadata: { kernelspec: { display_name: "Python 3", language: "python", name: "python3" } },
    nbformat: 4,
    nbformat_minor: 5,
  };
  await writeFile(path.join(ROOT, name), JSON.stringify(notebook));
}

async function setting(plugin, values) {
  const folder = path.join(HOME, "settings/@jupyterlab/apputils-extension");
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, `${plugin}.jupyterlab-settings`), JSON.stringify(values));
}

/** JupyterLab, which also serves Notebook's pages. */
function startServer() {
  const folder = (name) => path.join(HOME, name);
  const env = {
    ...process.env,
    JUPYTER_CONFIG_DIR: folder("config"), JUPYTER_DATA_DIR: folder("data"), JUPYTER_RUNTIME_DIR: folder("runtime"),
    JUPYTERLAB_SETTINGS_DIR: folder("settings"), JUPYTERLAB_WORKSPACES_DIR: folder("workspaces"),
    IPYTHONDIR: folder("ipython"), PYTHONNOUSERSITE: "1",
  };
  const options = ["--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0", "--IdentityProvider.token=secret", `--ServerApp.root_dir=${ROOT}`];
  const child = spawn(process.env.ZEVIEW_PYTHON, ["-m", "jupyterlab", ...options], { env });
  const started = { process: child, log: "", origin: "" };
  return new Promise((resolve, reject) => {
    const hear = (data) => {
      started.log += data;
      const origin = /http:\/\/127\.0\.0\.1:[1-9]\d*/.exec(started.log)?.[0];
      if (origin && !started.origin) resolve(Object.assign(started, { origin }));
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("exit", () => reject(new Error(`the server ended:\n${started.log}`)));
  });
}

/** Opens a notebook in a fresh profile, and checks errors and requests afterwards. */
async function open(address, { theme = "light", height = 1200 } = {}, run) {
  await sessions("DELETE");
  // Otherwise JupyterLab opens the notebooks of before.
  await rm(path.join(HOME, "workspaces"), { recursive: true, force: true });
  await setting("themes", { theme: theme === "dark" ? "JupyterLab Dark" : "JupyterLab Light" });
  // The other one: cells must follow the notebook.
  const colorScheme = theme === "dark" ? "light" : "dark";
  const context = await browser.newContext({ viewport: { width: 1280, height }, colorScheme });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const errors = [];
  page.on("console", (message) => {
    if (/Content.Security.Policy|zeview/i.test(message.text()) && message.type() === "error") errors.push(message.text());
  });
  page.on("request", (request) => {
    const url = request.url();
    if (/^(https?|wss?):/.test(url) && !url.startsWith(server.origin)) errors.push(`request to elsewhere: ${url}`);
  });
  try {
    await page.goto(`${server.origin}/${address}?token=secret`);
    await page.locator(".jp-CodeCell").first().waitFor();
    await run(page);
  } catch (error) {
    await screenshot(page, "notebook-failed");
    if (errors.length) error.message += `\n\nthe page reported:\n${errors.join("\n")}`;
    throw error;
  } finally {
    await context.close();
  }
  assert.deepEqual(errors, []);
  // Jupyter drops output above its limit.
  assert.doesNotMatch(server.log, /data rate exceeded/i);
}

async function menu(page, ...names) {
  const [first, ...rest] = names;
  await page.locator(".lm-MenuBar-itemLabel", { hasText: new RegExp(`^${first}$`) }).click();
  for (const name of rest) {
    const item = page.locator(".lm-Menu-item", { has: page.locator(".lm-Menu-itemLabel", { hasText: new RegExp(`^${name}$`) }) });
    await item.hover();
    if (name === rest.at(-1)) await item.click();
  }
}

/** The kernels of open notebooks; with `method`, a request about each. */
async function sessions(method) {
  const headers = { Authorization: "token secret" };
  const found = await (await fetch(`${server.origin}/api/sessions`, { headers })).json();
  if (method) await Promise.all(found.map(({ id }) => fetch(`${server.origin}/api/sessions/${id}`, { method, headers })));
  return found;
}

async function runAll(page) {
  await eventually(async () => (await sessions()).map(({ kernel }) => kernel.execution_state), ["idle"]);
  await page.locator(".jp-KernelName, .jp-Toolbar-kernelName", { hasText: "Python 3" }).first().waitFor();
  await menu(page, "Run", "Run All Cells");
}

const cell = (page, at) => page.locator(".jp-CodeCell").nth(at);
const frame = (page, at) => cell(page, at).frameLocator("iframe");
const themeOf = (frame) => frame.locator("html").getAttribute("data-theme");
const savedTable = (page, at) => cell(page, at).locator("[data-zeview] table");

async function showsKernels(frame, name) {
  await frame.getByRole("tab", { name: /Kernels/, selected: true }).waitFor();
  await frame.getByRole("gridcell", { name }).first().waitFor();
  assert.equal(await frame.locator(".head-line").count(), 0, "the page is embedded");
}

for (const theme of ["light", "dark"]) {
  test(`JupyterLab shows the kernels of a document (${theme})`, TIMEOUT, async () => {
    await open("lab/tree/widget.ipynb", { theme, height: 1500 }, async (page) => {
      await runAll(page);
      await showsKernels(frame(page, 0), "hugeprivate");
      assert.equal(await themeOf(frame(page, 0)), theme);
      assert.ok(await savedTable(page, 0).isHidden(), "the table is in the notebook, hidden");
      await frame(page, 1).getByRole("tab", { name: /Assembly/, selected: true }).waitFor();
      await frame(page, 1).getByText("send.ugm").first().waitFor();
      const { height } = await cell(page, 1).locator("iframe").boundingBox();
      assert.equal(Math.round(height), 420);
      await screenshot(page, `notebook-lab-${theme}`);

      // The file of 3 MB is sent in pieces when it is scrolled near.
      await cell(page, 2).scrollIntoViewIfNeeded();
      await showsKernels(frame(page, 2), /.+/);
      await screenshot(page, `notebook-lab-large-${theme}`);

      // A moved cell loads its frame again.
      await cell(page, 0).locator(".jp-InputPrompt").click();
      await menu(page, "Edit", "Move Cell Down");
      await showsKernels(frame(page, 1), "hugeprivate");

      const [other, label] = theme === "light" ? ["dark", "JupyterLab Dark"] : ["light", "JupyterLab Light"];
      await menu(page, "Settings", "Theme", label);
      await eventually(() => themeOf(frame(page, 2)), other);
    });
  });
}

test("a saved notebook shows the table without its kernel", TIMEOUT, async () => {
  await open("lab/tree/widget.ipynb", {}, async (page) => {
    await runAll(page);
    await showsKernels(frame(page, 0), "hugeprivate");
    await menu(page, "File", "Save Notebook");
    await eventually(async () => (await readFile(path.join(ROOT, "widget.ipynb"), "utf8")).includes("hugeprivate"), true);
    await menu(page, "Kernel", "Restart Kernel…");
    await page.getByRole("button", { name: "Confirm Kernel Restart" }).click();
    // The page needs the kernel no more.
    await choose(frame(page, 0).getByRole("tab", { name: /Overview/ }), frame(page, 0));
    await frame(page, 0).getByRole("tab", { name: /Overview/, selected: true }).waitFor();
    await page.reload();
    await savedTable(page, 0).getByText("hugeprivate").first().waitFor();
    await page.getByText("Loading widget").first().waitFor({ state: "hidden" });
    await page.getByText("Error displaying widget").first().waitFor({ state: "attached" });
    assert.ok(await page.getByText("Error displaying widget").first().isHidden());
    await screenshot(page, "notebook-reopened");
    const { size } = await stat(path.join(ROOT, "widget.ipynb"));
    assert.ok(size < 300_000, `the notebook has ${size} bytes: no page, no file`);
  });
});

test("without anywidget the output has the page and the file", TIMEOUT, async () => {
  await open("lab/tree/html.ipynb", { theme: "dark", height: 1500 }, async (page) => {
    await runAll(page);
    await showsKernels(frame(page, 0), "hugeprivate");
    // It shares the page of the first cell.
    await showsKernels(frame(page, 1), "vecadd");
    assert.equal(await themeOf(frame(page, 1)), "dark");
    await cell(page, 2).getByText("Install anywidget to show it.").waitFor();
    assert.equal(await cell(page, 2).locator("iframe").count(), 0);
    await screenshot(page, "notebook-html-dark");
    await menu(page, "File", "Save Notebook");
    await eventually(async () => (await readFile(path.join(ROOT, "html.ipynb"), "utf8")).includes("hugeprivate"), true);
  });
  const { cells } = JSON.parse(await readFile(path.join(ROOT, "html.ipynb"), "utf8"));
  const sizes = cells.map((cell) => JSON.stringify(cell.outputs).length);
  assert.ok(sizes[0] < 3_000_000 && sizes[0] > 2_000_000 && sizes[1] < 100_000, `${sizes}`);

  // A notebook from somebody else: its HTML is sanitized.
  await writeNotebook("foreign.ipynb", cells.map(({ outputs }, at) => ({ source: `# ${at}`, outputs })));
  await open("lab/tree/foreign.ipynb", {}, async (page) => {
    await page.getByText("hugeprivate").first().waitFor();
    assert.equal(await page.locator("iframe").count(), 0);
    await screenshot(page, "notebook-foreign");
  });
});

test("Notebook 7 shows the kernels of a document", TIMEOUT, async () => {
  await open("notebooks/widget.ipynb", { theme: "dark" }, async (page) => {
    await runAll(page);
    await showsKernels(frame(page, 0), "hugeprivate");
    assert.equal(await themeOf(frame(page, 0)), "dark");
    await screenshot(page, "notebook-7-dark");
  });
});
