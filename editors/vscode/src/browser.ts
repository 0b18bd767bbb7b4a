// The extension in VS Code for the Web: files are read as a whole, and decoded in the webview.

import type { ExtensionContext } from "vscode";
import { start } from "./extension.ts";

export function activate(context: ExtensionContext): void {
  start(context, {
    open: async () => undefined,
    read: () => Promise.reject(new Error("no files on disk")),
  });
}
