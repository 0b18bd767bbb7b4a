// Source files: from the paths in line tables to files, and back.

import * as vscode from "vscode";
import { best } from "./paths.ts";

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
  const isAbsolute = /^([/\\]|[A-Za-z]:)/.test(file) || directory === "";
  return { path: isAbsolute ? file : `${directory}/${file}`, line: Number(line), column: Number(column) };
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
    return (await vscode.workspace.fs.stat(uri)).type !== vscode.FileType.Directory;
  } catch {
    return false;
  }
}

/** Finds the file: at its path, beside the binary, in the workspace, or where the user says. */
export async function find(path: string, binary: vscode.Uri): Promise<vscode.Uri | undefined> {
  const name = path.split(/[/\\]/).at(-1) ?? path;
  const direct = [binary.with({ path: path.replaceAll("\\", "/") }), vscode.Uri.joinPath(binary, "..", path)];
  for (const uri of direct) {
    if (uri.path.startsWith("/") && await exists(uri)) return uri;
  }
  const escaped = name.replace(/[[\]{}*?]/g, "[$&]");
  const found = await vscode.workspace.findFiles(`**/${escaped}`, undefined, 100);
  const near = vscode.Uri.joinPath(binary, "..", name);
  if (await exists(near)) found.push(near);
  const matches = best(path, found, (uri) => uri.path);
  if (matches.length === 1) return matches[0];
  if (matches.length > 1) {
    const items = matches.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
    return (await vscode.window.showQuickPick(items, { placeHolder: `Several files match ${path}` }))?.uri;
  }
  const choose = "Choose the file…";
  if (await vscode.window.showWarningMessage(`${path} is not on this machine.`, choose) !== choose) return undefined;
  const chosen = await vscode.window.showOpenDialog({ title: `The source file ${name}`, defaultUri: vscode.Uri.joinPath(binary, "..") });
  return chosen?.[0];
}
