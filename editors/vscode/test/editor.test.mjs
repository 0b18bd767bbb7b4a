// The viewer and its commands, with a stand-in for VS Code: hostile names in every message, and files
// that belong to one page.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, afterEach, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { panel, registered, reset, shown, Uri } from "./vscode.mjs";
import { icons, links, NAMES, unseen } from "./hostile.mjs";

const { start } = await import("../src/extension.ts");
const { find, sourceLine } = await import("../src/sources.ts");

const folder = await mkdtemp(path.join(tmpdir(), "zeview-editor-"));
const file = (...names) => Uri.file(path.join(folder, ...names));
await mkdir(path.join(folder, "extension/page"), { recursive: true });
await writeFile(path.join(folder, "extension/page/index.html"), "<html></html>");
await writeFile(path.join(folder, "a.zebin"), "earlier");
await writeFile(path.join(folder, "b.zebin"), "later one");
after(() => rm(folder, { recursive: true }));

/** Reads files as node.ts does, and records what decoders are sent. */
const decoders = [];
const platform = {
  startDecoder(tell) {
    const decoder = { posted: [], tell, isClosed: false };
    decoders.push(decoder);
    return { post: (message) => decoder.posted.push(message), close: () => { decoder.isClosed = true; } };
  },
  async open(uri) {
    const { length } = await readFile(uri.fsPath);
    return { path: uri.fsPath, size: length, modified: 1 };
  },
  read: async (known, from, to) => (await readFile(known.path)).subarray(from, to),
};
const remembered = new Map();
start({
  extensionUri: file("extension"),
  workspaceState: { get: (key) => remembered.get(key), update: async (key, value) => void remembered.set(key, value) },
  subscriptions: [],
}, platform);
const provider = registered.providers.get("zeview.any");
const run = (name, ...values) => registered.commands.get(`zeview.${name}`)(...values);

/** The viewers, by the path of their file. */
const panels = new Map();
registered.commands.set("vscode.openWith", async (uri) => {
  const document = await provider.openCustomDocument(uri);
  const made = panel();
  panels.set(uri.path, made);
  await provider.resolveCustomEditor(document, made);
});

/** A page that VS Code has loaded into a viewer. */
let pages = 0;
class LoadedPage {
  pageId = `page ${++pages}`;

  constructor(viewer) {
    this.viewer = viewer;
    this.from = viewer.webview.posted.length;
  }

  tell(message) {
    this.viewer.webview.onDidReceiveMessage.fire({ ...message, pageId: this.pageId });
  }

  /** What it was sent. */
  get received() {
    return this.viewer.webview.posted.slice(this.from);
  }

  async show() {
    this.tell({ zeview: 1, type: "ready" });
    await eventually(() => this.received.some(({ type }) => type === "open"));
    this.tell({ zeview: 1, type: "loaded" });
  }

  /** The bytes of a file that it was given, as the page and its decoder read them. */
  async bytes({ token, size }) {
    this.tell({ kind: "read", id: 1e6 + token, token, start: 0, end: size });
    await eventually(() => this.received.some(({ id }) => id === 1e6 + token));
    const { bytes, error } = this.received.find(({ id }) => id === 1e6 + token);
    if (error) throw new Error(error);
    return bytes.toString();
  }
}

async function eventually(look) {
  for (let i = 0; i < 400; i++) {
    const seen = look();
    if (seen) return seen;
    await pause(5);
  }
  assert.fail(String(look));
}

async function closeAll() {
  for (const viewer of panels.values()) viewer.onDidDispose.fire();
  panels.clear();
}

afterEach(async () => {
  await closeAll();
  reset();
});

/** Checks all that was shown: nothing in it is markup, and something was shown. */
function checkShown(name) {
  const all = [...shown.notifications, ...shown.labels, ...shown.titles];
  for (const text of all) assert.equal(unseen(text), undefined, JSON.stringify(text));
  for (const text of shown.notifications) assert.equal(links(text), undefined, text);
  for (const text of shown.labels) assert.equal(icons(text), undefined, text);
  assert.ok(all.length > 0, `nothing is said about ${JSON.stringify(name)}`);
}

for (const how of ["not open", "behind another tab", "in front"]) {
  test(`two files of the Explorer are compared: the later one is ${how}`, async () => {
    const [earlier, later] = [file("a.zebin"), file("b.zebin")];
    let page;
    if (how !== "not open") {
      await registered.commands.get("vscode.openWith")(later);
      page = new LoadedPage(panels.get(later.path));
      await page.show();
      if (how === "behind another tab") page.viewer.show(false);
    }
    const comparing = run("compareWith", later, [earlier, later]);
    await eventually(() => panels.get(later.path));
    if (how !== "in front") {
      await pause(20);
      page = new LoadedPage(panels.get(later.path));
      await page.show();
    }
    await comparing;
    const { file: given } = await eventually(() => page.received.find(({ type }) => type === "compare"));
    assert.equal(given.name, "a.zebin");
    assert.equal(given.size, 7);
    assert.equal(await page.bytes(given), "earlier");
    // The decoder gets the file, not an empty one.
    page.tell({ decoder: 1, kind: "start" });
    page.tell({ decoder: 1, kind: "request", message: { file: { token: given.token, start: 0, end: 7 } } });
    const sent = decoders.at(-1).posted.at(-1).file;
    assert.deepEqual([sent.path, sent.start, sent.end], [earlier.fsPath, 0, 7]);
    assert.deepEqual(shown.notifications, []);
  });
}

test("a part of a file is a part for the decoder, and a closed file is an error", async () => {
  const uri = file("b.zebin");
  await registered.commands.get("vscode.openWith")(uri);
  const page = new LoadedPage(panels.get(uri.path));
  await page.show();
  const { token } = page.received.find(({ type }) => type === "open").file;
  page.tell({ decoder: 1, kind: "start" });
  const request = (file) => {
    page.tell({ decoder: 1, kind: "request", message: { file } });
    return decoders.at(-1).posted.at(-1).file;
  };
  assert.deepEqual(request({ token, start: 2, end: 5 }), { path: uri.fsPath, size: 9, modified: 1, start: 2, end: 5 });
  assert.deepEqual(request({ token: 1e9, start: 0, end: 5 }), { error: "the file is closed", start: 0, end: 5 });
  await assert.rejects(page.bytes({ token: 1e9, size: 5 }), /the file is closed/);
});

test("nothing of a page reaches the next one", async () => {
  const uri = file("b.zebin");
  await registered.commands.get("vscode.openWith")(uri);
  const viewer = panels.get(uri.path);
  const first = new LoadedPage(viewer);
  // Its decoder starts before it is ready.
  first.tell({ decoder: 1, kind: "start" });
  const decoder = decoders.at(-1);
  await first.show();
  assert.equal(decoder.isClosed, false);
  const { token } = first.received.find(({ type }) => type === "open").file;
  const second = new LoadedPage(viewer);
  second.tell({ decoder: 1, kind: "start" });
  assert.equal(decoder.isClosed, true);
  assert.equal(decoders.at(-1).isClosed, false);
  await second.show();
  const count = second.received.length;
  decoder.tell({ answer: 1 });
  assert.equal(second.received.length, count);
  await assert.rejects(second.bytes({ token, size: 9 }), /the file is closed/);
});

test("an action ends with a message if the file cannot be shown, or is closed", async () => {
  const uri = file("b.zebin");
  for (const end of [
    (page) => page.tell({ zeview: 1, type: "error", code: "not-opened", message: "It is [x](command:y)." }),
    (page) => page.viewer.onDidDispose.fire(),
  ]) {
    reset();
    const comparing = run("compareWith", uri, [uri, file("a.zebin")]);
    const page = new LoadedPage(await eventually(() => panels.get(uri.path)));
    page.tell({ zeview: 1, type: "ready" });
    await eventually(() => page.received.some(({ type }) => type === "open"));
    end(page);
    await comparing;
    checkShown(uri.path);
    await closeAll();
  }
  reset();
  await run("compareWith", uri, [uri, file("a.zebin"), file("c.zebin")]);
  assert.deepEqual(shown.notifications, ["zeview: Select two files to compare, not 3."]);
  // The other file, or the file itself, is gone.
  for (const [one, other] of [["b.zebin", "[x](command:y)"], ["[x](command:y)", "b.zebin"]]) {
    reset();
    const comparing = run("compareWith", file(one), [file(one), file(other)]);
    if (one === "b.zebin") await new LoadedPage(await eventually(() => panels.get(uri.path))).show();
    await comparing;
    checkShown(other);
  }
});

test("hostile paths of source files", async () => {
  const binary = file("b.zebin");
  for (const name of NAMES) {
    for (const found of [[], [file("x", "x.cl"), file("y", "x.cl")], NAMES.map((name) => file("x", `${name}x.cl`))]) {
      reset();
      shown.found.push(...found);
      shown.button = "Choose the file…";
      const uri = await find(name, binary);
      checkShown(name);
      assert.equal(uri, undefined);
    }
    // As the page reports it.
    reset();
    const viewerFile = file("a.zebin");
    await registered.commands.get("vscode.openWith")(viewerFile);
    const page = new LoadedPage(panels.get(viewerFile.path));
    await page.show();
    page.tell({ zeview: 1, type: "source", text: `${name.replace(/[\t\r\n]/g, " ")}\t${name.replace(/[\t\r\n]/g, " ")}\t1\t1\n` });
    await eventually(() => shown.notifications.length > 0);
    checkShown(name);
    await closeAll();
  }
});

test("paths lead to files of this machine only", async () => {
  await mkdir(path.join(folder, "src"), { recursive: true });
  await writeFile(path.join(folder, "src/k.cl"), "x");
  const binary = file("b.zebin");
  for (const way of [path.join(folder, "src/k.cl"), `/${path.join(folder, "src/k.cl")}`, `//${path.join(folder, "src/k.cl")}`, "src/k.cl", "./src/../src/k.cl"]) {
    assert.equal((await find(way, binary))?.fsPath, path.join(folder, "src/k.cl"), way);
  }
  // On another machine's files, whose addresses have an authority, relative paths are no error.
  const distant = Uri.parse("vscode-vfs://github/owner/repository/b.zebin");
  for (const way of ["src/none.cl", "//host/share/none.cl", "C:\\none.cl"]) {
    assert.equal(await find(way, distant), undefined);
  }
  assert.ok(shown.notifications.every((text) => text.endsWith("is not on this machine.")));
  // A device, which never ends, and a folder.
  assert.equal(await find("/dev/zero", binary), undefined);
  assert.equal(await find(folder, binary), undefined);
  const at = (directory, name) => sourceLine(`${directory}\t${name}\t3\tx\n`);
  assert.deepEqual(at("/", "k.cl"), { path: "/k.cl", line: 3, column: 0 });
  assert.deepEqual(at("/src/", "k.cl").path, "/src/k.cl");
  assert.deepEqual(at("/src", "/k.cl").path, "/k.cl");
  assert.deepEqual(at("C:\\src", "D:\\k.cl").path, "D:\\k.cl");
});

test("hostile names of kernels, files to save, and problems", async () => {
  const uri = file("a.zebin");
  await registered.commands.get("vscode.openWith")(uri);
  const page = new LoadedPage(panels.get(uri.path));
  await page.show();
  const text = ["name\tsimd\tgrf\tspill\tdevice", ...NAMES.map((name) => `${name}\t8\t128\t64\t${name}`.replace(/[\r\n]/g, " "))];
  shown.item = 1;
  const choosing = run("disassembleKernel");
  const { id } = await eventually(() => page.received.find(({ type }) => type === "table"));
  page.tell({ zeview: 1, type: "table", id, text: text.join("\n") });
  await choosing;
  checkShown("kernels");
  assert.ok(shown.labels.length >= 2 * NAMES.length);
  assert.equal(page.received.at(-1).row, 1);

  for (const name of NAMES) {
    reset();
    // Files are saved in the folder of the binary, unless the user chooses another.
    shown.target = file("no folder", "x");
    page.tell({ zeview: 1, type: "save", name, file: { bytes: new Uint8Array(3) } });
    await eventually(() => shown.notifications.length > 0);
    checkShown(name);
    const [target] = shown.targets;
    assert.equal(path.dirname(target.path), folder, target.path);

    page.tell({ zeview: 1, type: "problems", list: [{ severity: "error", rule: name, message: name, source: 1, start: 0, end: 9 }] });
    const [{ message, code }] = shown.diagnostics.get(uri.toString());
    for (const part of [message, code]) {
      assert.equal(icons(part), undefined, part);
      assert.equal(unseen(part), undefined, part);
    }

    // Answers that are errors.
    reset();
    const tables = () => page.received.filter(({ type }) => type === "table");
    const count = tables().length;
    const failing = run("disassembleKernel");
    await eventually(() => tables().length > count);
    page.tell({ zeview: 1, type: "error", id: tables().at(-1).id, message: `${name} is [x](command:y)` });
    await failing;
    checkShown(name);
  }
});

test("files whose names are markup", async () => {
  const names = NAMES.filter((name) => !name.includes("/") && !name.includes("\0") && name.length < 200 && !["", ".", ".."].includes(name));
  assert.ok(names.length > 12);
  for (const name of names) {
    reset();
    // Gone: the document says so, in HTML.
    const uri = file(name);
    await writeFile(uri.fsPath, "x");
    await registered.commands.get("vscode.openWith")(uri);
    const viewer = panels.get(uri.path);
    await rm(uri.fsPath);
    new LoadedPage(viewer).tell({ zeview: 1, type: "ready" });
    await eventually(() => viewer.webview.html.includes("cannot be opened"));
    assert.equal(viewer.webview.html.match(/<[a-z]/g).length, 8, viewer.webview.html);
    assert.doesNotMatch(viewer.webview.html, /FORGED$/m);
    // An action says so, too.
    await run("compareWith", uri, [uri, file("a.zebin")]);
    checkShown(name);
    // VS Code shows this error.
    await assert.rejects(provider.openCustomDocument(uri), ({ message }) => {
      assert.equal(links(message), undefined, message);
      assert.equal(unseen(message), undefined, message);
      return true;
    });
    await closeAll();
  }
});
