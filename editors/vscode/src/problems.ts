// The problems of a file in the Problems view.

import * as vscode from "vscode";
import { unadorned } from "./markup.ts";

/** A problem, as the page reports it. */
export interface Problem {
  severity: "error" | "warning" | "note";
  rule: string;
  message: string;
  /** 0 is the file; other sources are unpacked from it. */
  source: number;
  start: number;
  end: number;
}

const SEVERITIES = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  note: vscode.DiagnosticSeverity.Information,
};

/** Lists the problems of a file. It has no lines, so the message names the bytes. */
export function show(collection: vscode.DiagnosticCollection, uri: vscode.Uri, list: Problem[]): void {
  const top = new vscode.Range(0, 0, 0, 0);
  collection.set(uri, list.map(({ severity, rule, message, source, start, end }) => {
    const where = source === 0 ? "" : " of unpacked data";
    const range = `bytes 0x${start.toString(16)}–0x${end.toString(16)}${where}`;
    const diagnostic = new vscode.Diagnostic(top, unadorned(`${message} (${range})`), SEVERITIES[severity]);
    diagnostic.source = "zeview";
    diagnostic.code = unadorned(rule);
    return diagnostic;
  }));
}
