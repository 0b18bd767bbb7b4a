// A real VS Code (code-server) with the packaged extension, in Chromium: cargo xtask test editors.

import { after, test } from "node:test";
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

const { CHROMIUM, ZEVIEW_CODE_SERVER, ZEVIEW_SAMPLES, ZEVIEW_VSIX } = process.env;
const OUT = path.join(import.meta.dirname, "out");
const TIMEOUT = 40_000;

const CHROMIUM_FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Requests to other hosts fail.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
];

const SETTINGS = {
  "workbench.startupEditor": "none",
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "chat.disableAIFeatures": true,
  "workbench.tips.enabled": false,
  "window.commandCenter": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "files.simpleDialog.enable": true,
};

export const THEMES = {
  light: "Default Light Modern",
  dark: "Default Dark Modern",
  contrast: "Default High Contrast",
};

let running;

/** Starts the server and the browser once for each file of tests. */
function surroundings() {
  running ??= start();
  return running;
}

after(async () => (await running)?.stop());

async function start() {
  assert.ok(ZEVIEW_CODE_SERVER && ZEVIEW_VSIX, "use cargo xtask test editors");
  const folder = await mkdtemp(path.join(tmpdir(), "zeview-vscode-"));
  const [user, extensions, workspace] = ["user", "extensions", "work"].map((name) => path.join(folder, name));
  await mkdir(path.join(user, "User"), { recursive: true });
  await mkdir(workspace);
  const options = ["--user-data-dir", user, "--extensions-dir", extensions];
  await promisify(execFile)(process.execPath, [ZEVIEW_CODE_SERVER, ...options, "--install-extension", ZEVIEW_VSIX]);
  const port = await freePort();
  const server = spawn(process.execPath, [
    ZEVIEW_CODE_SERVER, ...options, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`,
    "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", "--disable-getting-started-override",
  ], { stdio: ["ignore", "pipe", "pipe"], detached: true });
  let log = "";
  for (const stream of [server.stdout, server.stderr]) stream.on("data", (text) => { log += text; });
  for (const end = Date.now() + TIMEOUT; !log.includes("HTTP server listening"); await pause(100)) {
    assert.ok(Date.now() < end && server.exitCode === null, `code-server did not start:\n${log}`);
  }
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_FLAGS });
  const stop = async () => {
    await browser.close();
    // With the processes that it has started.
    process.kill(-server.pid, "SIGKILL");
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  return { stop, browser, user, workspace, url: `http://127.0.0.1:${port}/?folder=${workspace}`, server };
}

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => { probe.listen(0, "127.0.0.1", resolve); });
  const { port } = probe.address();
  await new Promise((resolve) => { probe.close(resolve); });
  return port;
}

/**
 * Registers a journey through VS Code with these files in its folder.
 *
 * @param {string} name
 * @param {{ files?: Record<string, string | Uint8Array>, samples?: string[], theme?: "light" | "dark" | "contrast", settings?: object }} options
 * @param {(vscode: VsCode) => Promise<void>} run
 */
export function journey(name, { files = {}, samples = [], theme = "light", settings = {} }, run) {
  test(name, { timeout: 3 * TIMEOUT }, async () => {
    const { browser, user, workspace, url, server } = await surroundings();
    for (const old of await readdir(workspace)) await rm(path.join(workspace, old), { recursive: true });
    for (const sample of samples) await cp(path.join(ZEVIEW_SAMPLES, sample), path.join(workspace, sample));
    for (const [file, content] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(workspace, file)), { recursive: true });
      await writeFile(path.join(workspace, file), content);
    }
    await writeFile(
      path.join(user, "User/settings.json"),
      JSON.stringify({ ...SETTINGS, "workbench.colorTheme": THEMES[theme], ...settings }),
    );
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
    context.setDefaultTimeout(TIMEOUT);
    const page = await context.newPage();
    const vscode = new VsCode(page, workspace, server.pid);
    try {
      await page.goto(url);
      await page.locator(".monaco-workbench .explorer-folders-view").waitFor();
      await vscode.ready();
      await run(vscode);
      assert.deepEqual(vscode.errors, [], "the viewer reported errors");
    } catch (error) {
      await vscode.screenshot(`failed-${name.replaceAll(/\W+/g, "-")}`);
      throw error;
    } finally {
      await context.close();
    }
  });
}

/** A window of VS Code. */
export class VsCode {
  /** Errors on the console from the viewer, such as violations of its policy. */
  errors = [];

  constructor(page, workspace, pid) {
    Object.assign(this, { page, workspace, pid });
    page.on("console", (message) => {
      const { url } = message.location();
      const isOurs = /zeview|fake\.html|^blob:/.test(url) || /Content Security Policy/.test(message.text());
      if (message.type() === "error" && isOurs) this.errors.push(`${message.text()} (${url})`);
    });
  }

  /** Waits until the extension is registered, which is later than the start of the window. */
  async ready() {
    const { page } = this;
    const entry = page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "zeview: Compare with…" });
    for (const end = Date.now() + TIMEOUT; ; await pause(200)) {
      await page.keyboard.press("F1");
      await page.locator(".quick-input-widget input").first().fill(">zeview: Compare with…");
      await pause(300);
      const isThere = await entry.count() > 0;
      await page.keyboard.press("Escape");
      if (isThere) return;
      assert.ok(Date.now() < end, "the extension is not registered");
    }
  }

  /** Opens a file of the folder from the Explorer. */
  async open(name) {
    const { page } = this;
    const row = page.locator(".explorer-folders-view").getByRole("treeitem", { name, exact: true });
    // In the first seconds, VS Code does not know the editors of extensions yet.
    const other = page.locator(".monaco-editor-pane-placeholder, .editor-instance .monaco-editor");
    const isOpen = page.locator(`.editor-group-container.active .tabs-container .tab.active[data-resource-name="${name}"]`);
    for (;;) {
      await row.dblclick();
      await isOpen.waitFor();
      if (await other.first().waitFor({ timeout: 500 }).then(() => false, () => true)) return;
      await page.keyboard.press("Escape");
      await isOpen.click({ button: "middle" });
      await isOpen.waitFor({ state: "detached" });
    }
  }

  /** Opens a file with zeview, which is not the default for it. */
  async openWith(name) {
    const row = this.page.locator(".explorer-folders-view").getByRole("treeitem", { name, exact: true });
    const input = this.page.locator(".quick-input-widget input").first();
    // A menu closes if the Explorer changes meanwhile, and ignores clicks at first.
    await eventually(async () => {
      await this.page.keyboard.press("Escape");
      await row.click({ button: "right" });
      await pause(500);
      await this.page.getByRole("menuitem", { name: /Open With/ }).click();
      return input.waitFor({ timeout: 3000 }).then(() => true, () => false);
    }, (isOpen) => isOpen);
    await this.pick("zeview");
  }

  /** Runs a command of the palette. */
  async command(title) {
    const input = this.page.locator(".quick-input-widget input").first();
    // A key is lost while the focus moves into a viewer that starts.
    await eventually(async () => {
      await this.page.keyboard.press("F1");
      return input.waitFor({ timeout: 3000 }).then(() => true, () => false);
    }, (isOpen) => isOpen);
    await input.fill(`>${title}`);
    await this.page.locator(".quick-input-list .monaco-list-row").first().waitFor();
    await this.page.keyboard.press("Enter");
  }

  /** Chooses an entry of a quick pick. */
  async pick(text) {
    const input = this.page.locator(".quick-input-widget input").first();
    await input.waitFor();
    await input.fill(text);
    await this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: text }).first().click();
  }

  /** Answers a file dialog of VS Code with a path. */
  async answer(file) {
    const widget = this.page.locator(".quick-input-widget");
    const input = widget.locator("input").first();
    // The dialog begins with the folder, which it reads first.
    await eventually(() => input.inputValue().catch(() => ""), (text) => text.startsWith(this.workspace));
    await pause(500);
    await input.fill(file);
    await pause(500);
    await this.page.keyboard.press("Enter");
    await widget.waitFor({ state: "hidden" });
  }

  /** The page in the visible viewer. */
  get viewer() {
    return this.page.frameLocator("iframe.webview.ready").last().frameLocator("#active-frame");
  }

  tab(name) {
    return this.viewer.getByRole("tab", { name });
  }

  /** Saves a screenshot in test/out. */
  async screenshot(name) {
    await mkdir(OUT, { recursive: true });
    await this.page.screenshot({ path: path.join(OUT, `${name}.png`) });
  }

  path(name) {
    return path.join(this.workspace, name);
  }

  /** The processes of extension hosts below the server. */
  async #hosts() {
    const found = [];
    for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
      const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      if (command.includes("--type=extensionHost") && await isBelow(pid, this.pid)) found.push(pid);
    }
    return found;
  }

  /** The bytes that extension hosts have read so far, with all their threads, as the system counts. */
  async bytesRead() {
    let sum = 0;
    for (const pid of await this.#hosts()) {
      const io = await readFile(`/proc/${pid}/io`, "utf8").catch(() => "");
      sum += Number(/rchar: (\d+)/.exec(io)?.[1] ?? 0);
    }
    return sum;
  }

  /** The same, once less than 100 KB was read in a second: messages of VS Code count, too. */
  async bytesReadAtRest() {
    let last = 0;
    return eventually(async () => {
      const before = last;
      await pause(1000);
      last = await this.bytesRead();
      return last - before < 100e3 ? last : undefined;
    }, (bytes) => bytes !== undefined);
  }
}

async function isBelow(pid, ancestor) {
  for (let at = Number(pid); at > 1;) {
    if (at === ancestor) return true;
    const stat = await readFile(`/proc/${at}/stat`, "utf8").catch(() => "");
    at = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
  }
  return false;
}

/** Waits until `look` returns what `accept` accepts. */
export async function eventually(look, accept) {
  for (const end = Date.now() + TIMEOUT / 2; ; await pause(50)) {
    const seen = await look();
    if (accept(seen)) return seen;
    assert.ok(Date.now() < end, `${accept}: ${JSON.stringify(seen)}`);
  }
}
