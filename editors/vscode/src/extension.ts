// The extension: the custom editor and its commands.

import * as vscode from "vscode";
import { Binary, Editor, type Services } from "./editor.ts";
import * as messages from "./messages.ts";
import type { Platform } from "./platform.ts";

const VIEWS = ["zeview.binary", "zeview.any"];
/** Delay after a movement of the cursor, in milliseconds. */
const DELAY = 150;

export function start(context: vscode.ExtensionContext, platform: Platform): void {
  const problems = vscode.languages.createDiagnosticCollection("zeview");
  const services: Services = {
    extension: context.extensionUri,
    platform,
    problems,
    links: context.workspaceState,
  };
  const editors = new Set<Editor>();
  const active = () => [...editors].find((editor) => editor.panel.active);

  const provider: vscode.CustomReadonlyEditorProvider<Binary> = {
    // VS Code shows an error in the editor's place.
    openCustomDocument: (uri) => messages.plainly(async () => {
      const { type } = await vscode.workspace.fs.stat(uri);
      if (type & vscode.FileType.Directory) throw new Error("It is a folder.");
      return new Binary(uri);
    }),
    resolveCustomEditor: (document, panel) => messages.plainly(async () => {
      const editor = new Editor(document, panel, services);
      editors.add(editor);
      panel.onDidDispose(() => editors.delete(editor));
      await editor.load();
    }),
  };
  for (const view of VIEWS) {
    context.subscriptions.push(vscode.window.registerCustomEditorProvider(view, provider));
  }

  /** Opens a file, unless it is open, and returns its viewer. */
  async function open(uri: vscode.Uri): Promise<Editor> {
    const find = () => [...editors].find(({ document }) => document.uri.toString() === uri.toString());
    const editor = find();
    if (editor) editor.panel.reveal();
    else await vscode.commands.executeCommand("vscode.openWith", uri, "zeview.any");
    const opened = find();
    if (!opened) throw new Error(`${uri.path} cannot be opened.`);
    return opened;
  }

  const commands: Record<string, (uri?: vscode.Uri, selected?: vscode.Uri[], kernel?: string) => unknown> = {
    /** Of two files that are selected in the Explorer, the one that is clicked on is the later one. */
    async compareWith(uri, selected = []) {
      const file = uri ?? active()?.document.uri ?? await messages.chooseFile("Open");
      if (!file) return;
      const others = selected.filter((one) => one.toString() !== file.toString());
      if (others.length > 1) return messages.error`zeview: Select two files to compare, not ${selected.length}.`;
      const other = others[0] ?? await messages.chooseFile("Compare with", file);
      if (other) await (await open(file)).compareWith(other);
    },
    /** Other extensions and key bindings may name a file and a kernel, by any of its names. */
    async disassembleKernel(uri, _selected, kernel) {
      const editor = uri && kernel ? await open(uri) : active();
      if (!editor) return;
      if (kernel) {
        const link = `k=${encodeURIComponent(kernel)}&pc=0&panel=assembly`;
        return editor.send({ type: "select", link });
      }
      const names = editor.table("kernels", "name simd_size grf_count spill_size device").then((rows) =>
        rows.slice(1).map(([label = "", simd, grf, spill, device], row) => {
          const facts = [device, simd && `SIMD ${simd}`, grf && `${grf} GRF`, Number(spill) > 0 && `spills ${spill} B`];
          return { label, description: facts.filter(Boolean).join(" · "), value: row };
        }));
      const row = await messages.choose(names)`Kernel to disassemble`;
      if (row !== undefined) await editor.send({ type: "select", list: "kernels", row, panel: "assembly" });
    },
    saveReport: () => active()?.send({ type: "command", command: "save-report" }),
    openSource: () => active()?.send({ type: "source" }),
  };
  for (const [name, run] of Object.entries(commands)) {
    const command = (uri?: vscode.Uri, selected?: vscode.Uri[], kernel?: string) =>
      messages.reported(() => run(uri, selected, kernel));
    context.subscriptions.push(vscode.commands.registerCommand(`zeview.${name}`, command));
  }

  let timer: ReturnType<typeof setTimeout> | undefined;
  context.subscriptions.push(problems, vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
    clearTimeout(timer);
    // Only what the user does: openSource moves the cursor, too.
    if (kind === undefined || kind === vscode.TextEditorSelectionChangeKind.Command) return;
    if (!vscode.workspace.getConfiguration("zeview").get("followCursor", true)) return;
    timer = setTimeout(() => {
      for (const editor of editors) {
        if (editor.panel.visible) editor.selectLine(textEditor.document.uri, textEditor.selection.active.line + 1);
      }
    }, DELAY);
  }));
}
