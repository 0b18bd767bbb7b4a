// A stand-in for the module "vscode": addresses are VS Code's own (vscode-uri), files are on the disk,
// and what would be shown is recorded. Tests import it before the extension's modules.

import { readFile, stat, writeFile } from "node:fs/promises";
import { registerHooks } from "node:module";
import { URI, Utils } from "vscode-uri";

const url = import.meta.url;
registerHooks({
  resolve: (name, context, next) => name === "vscode" ? { url, shortCircuit: true } : next(name, context),
});

/** What was shown, and how the user answers. */
export const shown = {
  /** Texts with VS Code's links: notifications. */
  notifications: [],
  /** Texts with VS Code's icons: labels and descriptions. */
  labels: [],
  /** Texts without markup: titles and placeholders. */
  titles: [],
  documents: [],
  targets: [],
  diagnostics: new Map(),
  /** Answers: the button of a warning, the chosen item, the chosen files. */
  button: undefined,
  item: undefined,
  files: undefined,
  target: undefined,
  /** Results of workspace.findFiles. */
  found: [],
};

export function reset() {
  for (const value of Object.values(shown)) if (Array.isArray(value)) value.length = 0;
  shown.diagnostics.clear();
  for (const name of ["button", "item", "files", "target"]) shown[name] = undefined;
}

class Uri extends URI {
  static joinPath = Utils.joinPath;
}
export { Uri };
export const FileType = { Unknown: 0, File: 1, Directory: 2, SymbolicLink: 64 };
export const DiagnosticSeverity = { Error: 0, Warning: 1, Information: 2, Hint: 3 };
export const ViewColumn = { Beside: -2 };
export const TextEditorSelectionChangeKind = { Keyboard: 1, Mouse: 2, Command: 3 };

export class Position {
  constructor(line, character) {
    if (!(line >= 0 && character >= 0)) throw new Error("illegal argument");
    Object.assign(this, { line, character });
  }
}

export class Range {
  constructor(...parts) {
    this.parts = parts;
  }
}

export class Diagnostic {
  constructor(range, message, severity) {
    Object.assign(this, { range, message, severity });
  }
}

export class RelativePattern {
  constructor(base, pattern) {
    Object.assign(this, { base, pattern });
  }
}

/** An event, with `fire`. */
export function event() {
  const listeners = [];
  const on = (listen, self) => {
    listeners.push(self ? listen.bind(self) : listen);
    return { dispose: () => listeners.splice(listeners.indexOf(listen), 1) };
  };
  return Object.assign(on, { fire: (value) => listeners.map((listen) => listen(value)) });
}

export const registered = { commands: new Map(), providers: new Map() };
export const commands = {
  registerCommand: (name, run) => registered.commands.set(name, run) && { dispose() {} },
  executeCommand: async (name, ...values) => registered.commands.get(name)?.(...values),
};

const notify = (text, ...buttons) => {
  shown.notifications.push(text);
  return Promise.resolve(buttons.find((button) => button === shown.button));
};
export const window = {
  visibleTextEditors: [],
  onDidChangeTextEditorSelection: event(),
  registerCustomEditorProvider: (view, provider) => registered.providers.set(view, provider) && { dispose() {} },
  showErrorMessage: notify,
  showWarningMessage: notify,
  async showQuickPick(items, { placeHolder }) {
    const all = await items;
    shown.titles.push(placeHolder);
    for (const { label, description } of all) shown.labels.push(label, ...description === undefined ? [] : [description]);
    return all[shown.item];
  },
  async showOpenDialog({ title, openLabel }) {
    shown.titles.push(title, openLabel);
    return shown.files;
  },
  async showSaveDialog({ defaultUri }) {
    shown.targets.push(defaultUri);
    return shown.target;
  },
  async showTextDocument(uri) {
    shown.documents.push(uri);
  },
};

export const workspace = {
  fs: {
    async stat(uri) {
      const found = await stat(uri.fsPath);
      const type = found.isFile() ? FileType.File : found.isDirectory() ? FileType.Directory : FileType.Unknown;
      return { type, size: found.size, mtime: found.mtimeMs };
    },
    readFile: (uri) => readFile(uri.fsPath),
    writeFile: (uri, bytes) => writeFile(uri.fsPath, bytes),
  },
  asRelativePath: (uri) => uri.path,
  findFiles: async () => [...shown.found],
  getConfiguration: () => ({ get: (_, value) => value }),
  createFileSystemWatcher: () => ({ dispose() {}, onDidChange: event(), onDidCreate: event() }),
};

export const languages = {
  createDiagnosticCollection: () => ({
    set: (uri, list) => shown.diagnostics.set(uri.toString(), list),
    delete: (uri) => shown.diagnostics.delete(uri.toString()),
    dispose() {},
  }),
};

/** A panel in which VS Code shows a viewer. */
export function panel() {
  const webview = {
    html: "",
    cspSource: "https://files",
    posted: [],
    onDidReceiveMessage: event(),
    asWebviewUri: (uri) => uri,
    postMessage: async (message) => webview.posted.push(message),
  };
  const made = {
    webview,
    active: true,
    visible: true,
    onDidChangeViewState: event(),
    onDidDispose: event(),
    reveal() {
      made.show(true);
    },
    show(visible) {
      made.visible = visible;
      made.onDidChangeViewState.fire();
    },
  };
  return made;
}
