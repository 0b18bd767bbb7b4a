// Source files: from the paths in line tables to files, and back.

import * as vscode from "vscode";
import * as messages from "./messages.ts";
import { absolute, best, fileName } from "./paths.ts";

/** A line of a source file, as the line tables have it. */
export interface SourceLine {
  /** The path, as the compiler wrote it: perhaps of another machine. */
  readonly path: string;
  /** One-based. */
  readonly line: number;
  /** One-based; 0 if unknown. */
  readonly column: number;
}

/** Reads the message `source`: directory, file, line and column, separated by tabs. */
export function sourceLine(text: string): SourceLine {
  const [directory = "", file = "", line = "", column = ""] = text.trimEnd().split("\t");
  const isWhole = directory === "" || absolute(file) !== undefined;
  const path = isWhole ? file : `${directory.replace(/[/\\]+$/, "")}/${file}`;
  return { path, line: Number(line) || 0, column: Number(column) || 0 };
}

/** Shows a line of a source file beside the viewer. */
export async function show(source: SourceLine, uri: vscode.Uri): Promise<void> {
  const at = new vscode.Position(Math.max(source.line - 1, 0), Math.max(source.column - 1, 0));
  const visible = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
  await vscode.window.showTextDocument(uri, {
    selection: new vscode.Range(at, at),
    viewColumn: visible?.viewColumn ?? vscode.ViewColumn.Beside,
  });
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    // Not folders, and not devices, which may never end.
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.File) !== 0;
  } catch {
    return false;
  }
}

/** Finds the file: at its path, beside the binary, in the workspace, or where the user says. */
export async function find(path: string, binary: vscode.Uri): Promise<vscode.Uri | undefined> {
  const name = fileName(path);
  if (name === undefined) {
    messages.error`zeview: ${path} is no path of a source file.`;
    return undefined;
  }
  const own = absolute(path);
  const direct = own === undefined ? [] : [binary.with({ path: own })];
  direct.push(vscode.Uri.joinPath(binary, "..", path));
  for (const uri of direct) {
    if (await exists(uri)) return uri;
  }
  const escaped = name.replace(/[[\]{}*?]/g, "[$&]");
  const found = await vscode.workspace.findFiles(`**/${escaped}`, undefined, 100);
  const near = vscode.Uri.joinPath(binary, "..", name);
  if (await exists(near)) found.push(near);
  const matches = best(path, found, (uri) => uri.path);
  if (matches.length === 1) return matches[0];
  if (matches.length > 1) {
    const choices = matches.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), value: uri }));
    return await messages.choose(choices)`Several files match ${path}`;
  }
  const wanted = await messages.offer("Choose the file…")`${path} is not on this machine.`;
  return wanted ? await messages.chooseFile(`The source file ${name}`, binary) : undefined;
}
