// One viewer: the page in a webview, and what it asks of VS Code.

import * as vscode from "vscode";
import { type Addresses, failure, html } from "./html.ts";
import * as messages from "./messages.ts";
import { type Message, Page } from "./page.ts";
import { fileName, lineFilter } from "./paths.ts";
import type { Platform } from "./platform.ts";
import { show as showProblems, type Problem } from "./problems.ts";
import { find as findSource, show as showSource, sourceLine } from "./sources.ts";

/** Maximum size of a file whose previous version is kept for comparison, in bytes. */
const COPY_MAX = 4 * 1024 * 1024;
/** Delay of reactions to repeated events, in milliseconds. */
const DELAY = 200;

/** What all viewers share. */
export interface Services {
  readonly extension: vscode.Uri;
  readonly platform: Platform;
  readonly problems: vscode.DiagnosticCollection;
  /** The link to the last selection in each file. */
  readonly links: vscode.Memento;
}

/** An opened file. */
export class Binary implements vscode.CustomDocument {
  readonly uri: vscode.Uri;

  constructor(uri: vscode.Uri) {
    this.uri = uri;
  }

  get name(): string {
    return fileName(this.uri.path) ?? "file";
  }

  dispose(): void {}
}

export class Editor {
  readonly document: Binary;
  readonly panel: vscode.WebviewPanel;
  readonly services: Services;
  /** Source files that were opened, by their paths in the line tables. */
  readonly #sources = new Map<string, vscode.Uri>();
  readonly #disposables: vscode.Disposable[] = [];
  /** The page, as long as VS Code keeps it. */
  #page: Page | undefined;
  /** Actions that wait for a page with the file. */
  #waiting: { resolve(page: Page): void; reject(error: Error): void }[] = [];
  /** Why the file cannot be shown. */
  #failure: Error | undefined;
  #isDisposed = false;
  #link = "";
  #version = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(document: Binary, panel: vscode.WebviewPanel, services: Services) {
    [this.document, this.panel, this.services] = [document, panel, services];
    const { webview } = panel;
    webview.onDidReceiveMessage((message) => this.#receive(message), undefined, this.#disposables);
    panel.onDidChangeViewState(() => {
      // VS Code discards the page of a hidden viewer.
      if (!panel.visible) this.#leave();
    }, undefined, this.#disposables);
    panel.onDidDispose(() => this.#dispose());
    this.#watch();
  }

  /** Loads the page. */
  async load(): Promise<void> {
    const { extension, platform } = this.services;
    const { webview } = this.panel;
    const roots = ["page", "media"].map((name) => vscode.Uri.joinPath(extension, name));
    webview.options = { enableScripts: true, localResourceRoots: roots };
    const page = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(extension, "page/index.html"));
    const addresses: Addresses = {
      resolve: (path) => webview.asWebviewUri(vscode.Uri.joinPath(extension, path)).toString(),
      source: webview.cspSource,
      nonce: nonce(),
    };
    if (this.#isDisposed) return;
    this.#failure = undefined;
    webview.html = html(new TextDecoder().decode(page), addresses, platform.startDecoder !== undefined);
  }

  /** Sends a message of zeview to the page, as soon as it shows the file. */
  async send(message: Message): Promise<void> {
    (await this.#loaded()).send(message);
  }

  /** Compares the file with another one, the earlier of the two. */
  async compareWith(uri: vscode.Uri): Promise<void> {
    // Files belong to a page, so the other one is opened for the page that compares.
    const page = await this.#loaded();
    page.send({ type: "compare", file: await page.open(uri) });
  }

  /** A table of the file, as lines of cells, with its titles. */
  async table(list: string, columns: string): Promise<string[][]> {
    const text = await (await this.#loaded()).ask({ type: "table", list, columns });
    return text.split("\n").filter(Boolean).map((line) => line.split("\t"));
  }

  /** Selects the code of a source line, if the page shows code. */
  selectLine(uri: vscode.Uri, line: number): void {
    const opened = [...this.#sources].find(([, source]) => source.toString() === uri.toString());
    const filter = lineFilter(opened?.[0] ?? uri.path, line);
    const showsCode = /(^|&)panel=(assembly|source-lines)(&|$)/.test(this.#link);
    if (filter && showsCode && this.#page?.isLoaded) {
      this.#page.send({ type: "select", list: "source-lines", inner: true, filter });
    }
  }

  /** The page, as soon as it shows the file. */
  #loaded(): Promise<Page> {
    return new Promise((resolve, reject) => {
      if (this.#page?.isLoaded) resolve(this.#page);
      else if (this.#failure) reject(this.#failure);
      else if (this.#isDisposed) reject(new Error("The viewer was closed."));
      else this.#waiting.push({ resolve, reject });
    });
  }

  /** Returns the page that sends a message. */
  #pageOf({ pageId }: Message): Page {
    if (this.#page?.id !== pageId) {
      // The page before it was discarded.
      this.#leave();
      this.#page = new Page(pageId, this.services.platform, (message) => {
        void this.panel.webview.postMessage(message);
      });
    }
    return this.#page!;
  }

  #receive(message: Message): void {
    if (this.#isDisposed) return;
    const page = this.#pageOf(message);
    if (message.zeview) void messages.reported(() => this.#hear(page, message));
    else page.receive(message);
  }

  /** Handles an event of zeview. */
  #hear(page: Page, message: Message): unknown {
    switch (message.type) {
      case "ready":
        this.#link = this.services.links.get(this.document.uri.toString()) ?? "";
        return this.#show(page);
      case "loaded":
        page.isLoaded = true;
        for (const { resolve } of this.#waiting.splice(0)) resolve(page);
        return;
      case "selected":
        this.#link = message.link;
        return this.services.links.update(this.document.uri.toString(), message.link);
      case "problems":
        return this.#showProblems(message.list);
      case "table":
        return page.answer(message);
      case "error":
        // The page shows it, too.
        if (message.code === "not-opened" && !page.isLoaded) this.#cancel(new Error(message.message));
        return page.answer(message);
      case "source":
        return this.#openSource(message.text);
      case "save":
        return this.#save(page, message);
    }
  }

  async #openSource(text: string): Promise<void> {
    const line = sourceLine(text);
    const uri = this.#sources.get(line.path) ?? await findSource(line.path, this.document.uri);
    if (!uri) return;
    this.#sources.set(line.path, uri);
    await showSource(line, uri);
  }

  /** Opens the file in the page. */
  async #show(page: Page): Promise<void> {
    try {
      const file = await page.open(this.document.uri);
      this.#version = file.version;
      if (page === this.#page) page.send({ type: "open", file, link: this.#link, follow: file.size <= COPY_MAX });
    } catch (reason) {
      if (this.#isDisposed || page !== this.#page) return;
      this.#leave();
      const title = `${this.document.name} cannot be opened`;
      const text = reason instanceof Error ? reason.message : String(reason);
      this.#fail(new Error(`${title}. ${text}`));
      this.panel.webview.html = failure(title, text);
    }
  }

  #watch(): void {
    const { uri, name } = this.document;
    const pattern = new vscode.RelativePattern(vscode.Uri.joinPath(uri, ".."), name.replace(/[[\]{}*?]/g, "[$&]"));
    const watcher = vscode.workspace.createFileSystemWatcher(pattern, false, false, true);
    const later = () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#reload(), DELAY);
    };
    this.#disposables.push(watcher, watcher.onDidChange(later), watcher.onDidCreate(later));
  }

  /** Gives the page the current version of the file, if it is another one. */
  async #reload(): Promise<void> {
    try {
      if (this.#failure) await this.load();
      const page = this.#page;
      if (!page?.isLoaded) return;
      const file = await page.open(this.document.uri);
      // Compilers truncate a file before they write it.
      if (file.version === this.#version || file.size === 0) return page.forget(file);
      this.#version = file.version;
      page.send({ type: "changed", file });
    } catch {
      // It is being replaced; the next event follows.
    }
  }

  #showProblems(list: Problem[]): void {
    const { problems } = this.services;
    const isWanted = vscode.workspace.getConfiguration("zeview").get("problems", true);
    showProblems(problems, this.document.uri, isWanted ? list : []);
  }

  async #save(page: Page, { name, file }: Message): Promise<void> {
    try {
      // A name in a file may contain folders.
      const beside = vscode.Uri.joinPath(this.document.uri, "..", fileName(name) ?? "file");
      const uri = await messages.chooseTarget(beside);
      if (uri) await vscode.workspace.fs.writeFile(uri, await page.bytes(file));
    } catch (reason) {
      messages.error`zeview: ${name} was not saved. ${reason}`;
    }
  }

  /** Ends what belongs to a page that is gone. */
  #leave(): void {
    this.#page?.close();
    this.#page = undefined;
  }

  /** Remembers that the file cannot be shown. */
  #fail(reason: Error): void {
    this.#failure = reason;
    this.#cancel(reason);
  }

  /** Ends actions that wait for the file. */
  #cancel(reason: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
  }

  #dispose(): void {
    this.#isDisposed = true;
    this.#leave();
    this.#fail(new Error("The viewer was closed."));
    clearTimeout(this.#timer);
    this.services.problems.delete(this.document.uri);
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

function nonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
