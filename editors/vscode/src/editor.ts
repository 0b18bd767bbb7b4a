// One viewer: the page in a webview, and what it asks of VS Code.

import * as vscode from "vscode";
import { type Addresses, failure, html } from "./html.ts";
import { lineFilter } from "./paths.ts";
import type { Decoder, FileInMessage, FileOnDisk, Platform } from "./platform.ts";
import { show as showProblems, type Problem } from "./problems.ts";
import { find as findSource, show as showSource, sourceLine } from "./sources.ts";

/** Maximum size of a file that is read as a whole, in bytes. */
const WHOLE_MAX = 256 * 1024 * 1024;
/** Maximum size of a file whose previous version is kept for comparison, in bytes. */
const COPY_MAX = 4 * 1024 * 1024;
/** Delay of reactions to repeated events, in milliseconds. */
const DELAY = 200;

/** A message from the webview: of zeview (docs/src/reference/embedding.md), or of webview/host.ts. */
type Message = Record<string, any>;

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
  constructor(readonly uri: vscode.Uri) {}

  get name(): string {
    return this.uri.path.split("/").at(-1) ?? "file";
  }

  dispose(): void {}
}

export class Editor {
  readonly #decoders = new Map<number, Decoder>();
  /** The files that the page may read, by token. */
  readonly #files = new Map<number, FileOnDisk>();
  readonly #answers = new Map<number, { resolve(text: string): void; reject(error: Error): void }>();
  /** Source files that were opened, by their paths in the line tables. */
  readonly #sources = new Map<string, vscode.Uri>();
  readonly #disposables: vscode.Disposable[] = [];
  #next = 1;
  /** Actions that wait for the file. */
  #waiting: (() => void)[] = [];
  #isLoaded = false;
  #isFailed = false;
  #isDisposed = false;
  #link = "";
  #version = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly document: Binary, readonly panel: vscode.WebviewPanel, readonly services: Services) {
    const { webview } = panel;
    webview.onDidReceiveMessage((message) => this.#receive(message), undefined, this.#disposables);
    panel.onDidChangeViewState(() => {
      // VS Code discards the page of a hidden viewer.
      if (!panel.visible) this.#reset();
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
    this.#isFailed = false;
    webview.html = html(new TextDecoder().decode(page), addresses, platform.startDecoder !== undefined);
  }

  /** Sends a message of zeview to the page, as soon as it shows the file. */
  send(message: Message): void {
    if (this.#isLoaded) this.#post({ zeview: 1, ...message });
    else this.#waiting.push(() => this.send(message));
  }

  /** Compares the file with another one, the earlier of the two. */
  async compareWith(uri: vscode.Uri): Promise<void> {
    const file = await this.#open(uri);
    this.send({ type: "compare", file });
  }

  /** A table of the file, as lines of cells, with its titles. */
  async table(list: string, columns: string): Promise<string[][]> {
    const id = this.#next++;
    const text = await new Promise<string>((resolve, reject) => {
      this.#answers.set(id, { resolve, reject });
      this.send({ type: "table", id, list, columns });
    });
    return text.split("\n").filter(Boolean).map((line) => line.split("\t"));
  }

  /** Selects the code of a source line, if the page shows code. */
  selectLine(uri: vscode.Uri, line: number): void {
    const opened = [...this.#sources].find(([, source]) => source.toString() === uri.toString());
    const filter = lineFilter(opened?.[0] ?? uri.path, line);
    const showsCode = /(^|&)panel=(assembly|source-lines)(&|$)/.test(this.#link);
    if (filter && showsCode && this.#isLoaded) {
      this.send({ type: "select", list: "source-lines", inner: true, filter });
    }
  }

  #post(message: Message): void {
    if (!this.#isDisposed) void this.panel.webview.postMessage(message);
  }

  #receive(message: Message): void {
    if (message.zeview) return this.#hear(message);
    const { decoder, kind } = message;
    switch (kind) {
      case "start": return this.#startDecoder(decoder);
      case "request": return this.#decoders.get(decoder)?.post(this.#resolved(message.message));
      case "stop": {
        this.#decoders.get(decoder)?.close();
        this.#decoders.delete(decoder);
        return;
      }
      case "read": return void this.#read(message);
    }
  }

  /** Handles an event of zeview. */
  #hear(message: Message): void {
    switch (message.type) {
      case "ready":
        // A page that was discarded begins anew.
        this.#reset();
        this.#link = this.services.links.get(this.document.uri.toString()) ?? "";
        return void this.#show();
      case "loaded":
        this.#isLoaded = true;
        for (const action of this.#waiting.splice(0)) action();
        return;
      case "selected":
        this.#link = message.link;
        return void this.services.links.update(this.document.uri.toString(), message.link);
      case "problems":
        return this.#showProblems(message.list);
      case "table":
        this.#answers.get(message.id)?.resolve(message.text);
        this.#answers.delete(message.id);
        return;
      case "error":
        this.#answers.get(message.id)?.reject(new Error(message.message));
        this.#answers.delete(message.id);
        return;
      case "source":
        return void this.#openSource(message.text);
      case "save":
        return void this.#save(message);
    }
  }

  async #openSource(text: string): Promise<void> {
    const line = sourceLine(text);
    const uri = this.#sources.get(line.path) ?? await findSource(line.path, this.document.uri);
    if (!uri) return;
    this.#sources.set(line.path, uri);
    await showSource(line, uri);
  }

  #startDecoder(decoder: number): void {
    const running = this.services.platform.startDecoder?.(
      (message) => this.#post({ decoder, message }),
      (failure) => this.#post({ decoder, failure }),
    );
    if (running) this.#decoders.set(decoder, running);
  }

  /** Replaces the token of a file. */
  #resolved({ file, ...message }: Message): Message {
    if (!file) return message;
    const known: FileInMessage = file.bytes ? file : this.#files.get(file.token) ?? { bytes: new Uint8Array() };
    return { ...message, file: known };
  }

  async #read({ id, token, start, end }: Message): Promise<void> {
    try {
      const file = this.#files.get(token);
      if (!file) throw new Error("the file is closed");
      this.#post({ id, bytes: await this.services.platform.read(file, start, end) });
    } catch (error) {
      this.#post({ id, error: String(error) });
    }
  }

  /** Opens the file in the page. */
  async #show(): Promise<void> {
    try {
      const file = await this.#open(this.document.uri);
      this.#version = file.version;
      this.#post({ zeview: 1, type: "open", file, link: this.#link, follow: file.size <= COPY_MAX });
    } catch (error) {
      if (this.#isDisposed) return;
      this.#isFailed = true;
      this.panel.webview.html = failure(`${this.document.name} cannot be opened`, reason(error));
    }
  }

  /** A file for the page: a token for ranges of it, or its bytes. */
  async #open(uri: vscode.Uri): Promise<Message> {
    const name = uri.path.split("/").at(-1);
    const file = await this.services.platform.open(uri);
    if (file) {
      const token = this.#next++;
      this.#files.set(token, file);
      return { name, token, size: file.size, modified: file.modified, version: `${file.size} ${file.modified}` };
    }
    const { size, mtime } = await vscode.workspace.fs.stat(uri);
    if (size > WHOLE_MAX) {
      throw new Error(
        `It has ${megabytes(size)} MB. Here, files are read as a whole, and the limit is ${megabytes(WHOLE_MAX)} MB. `
        + "VS Code on the machine that has the file reads only what is shown.",
      );
    }
    const bytes = await vscode.workspace.fs.readFile(uri);
    return { name, bytes, size, modified: mtime, version: `${size} ${mtime}` };
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
    if (this.#isFailed) await this.load();
    if (!this.#isLoaded) return;
    try {
      const file = await this.#open(this.document.uri);
      // Compilers truncate a file before they write it.
      if (file.version === this.#version || file.size === 0) return void this.#files.delete(file.token);
      this.#version = file.version;
      this.send({ type: "changed", file });
    } catch {
      // It is being replaced; the next event follows.
    }
  }

  #showProblems(list: Problem[]): void {
    const { problems } = this.services;
    const isWanted = vscode.workspace.getConfiguration("zeview").get("problems", true);
    showProblems(problems, this.document.uri, isWanted ? list : []);
  }

  async #save({ name, file }: Message): Promise<void> {
    try {
      const folder = vscode.Uri.joinPath(this.document.uri, "..");
      const uri = await vscode.window.showSaveDialog({ defaultUri: vscode.Uri.joinPath(folder, name) });
      if (!uri) return;
      const known = file.bytes ? undefined : this.#files.get(file.token);
      const bytes = known ? await this.services.platform.read(known, file.start, file.end) : file.bytes;
      await vscode.workspace.fs.writeFile(uri, bytes);
    } catch (error) {
      void vscode.window.showErrorMessage(`zeview: ${name} was not saved. ${reason(error)}`);
    }
  }

  /** Ends what belongs to a page that is gone. */
  #reset(): void {
    for (const decoder of this.#decoders.values()) decoder.close();
    this.#decoders.clear();
    this.#files.clear();
    for (const { reject } of this.#answers.values()) reject(new Error("The viewer was closed."));
    this.#answers.clear();
    this.#isLoaded = false;
  }

  #dispose(): void {
    this.#isDisposed = true;
    this.#reset();
    clearTimeout(this.#timer);
    this.services.problems.delete(this.document.uri);
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

function megabytes(bytes: number): string {
  return Math.round(bytes / 1e6).toString();
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function nonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
