// Everything that the extension tells and asks in VS Code's own windows: notifications, quick picks and
// dialogs. No other module calls these functions of VS Code, because they interpret markup in names
// (test/markup.test.mjs checks that).

import * as vscode from "vscode";
import { unadorned, unlinked, value, visible } from "./markup.ts";

/** A message with values, as in a template: messages.error`${name} was not saved.` */
type Template = [strings: TemplateStringsArray, ...values: unknown[]];

function text([strings, ...values]: Template): string {
  return unlinked(String.raw({ raw: strings }, ...values.map(value)));
}

/** Shows an error. */
export function error(...template: Template): void {
  void vscode.window.showErrorMessage(text(template));
}

/** Shows a warning with a button. The promise tells whether the user presses it. */
export function offer(button: string): (...template: Template) => Promise<boolean> {
  return async (...template) => await vscode.window.showWarningMessage(text(template), button) === button;
}

/** An entry of a quick pick. */
export interface Choice<T> {
  readonly label: string;
  readonly description?: string;
  readonly value: T;
}

/** Lets the user choose. The promise has nothing if the user does not. */
export function choose<T>(
  choices: readonly Choice<T>[] | Promise<readonly Choice<T>[]>,
): (...template: Template) => Promise<T | undefined> {
  const items = Promise.resolve(choices).then((choices) => choices.map(({ label, description, value }) => {
    // VS Code shows an empty description as one.
    const described = description === undefined ? {} : { description: unadorned(description) };
    return { label: unadorned(label), ...described, value };
  }));
  return async (...template) => {
    const options = { placeHolder: text(template), matchOnDescription: true };
    return (await vscode.window.showQuickPick(items, options))?.value;
  };
}

/** Lets the user choose a file, beginning in the folder of another one. */
export async function chooseFile(title: string, near?: vscode.Uri): Promise<vscode.Uri | undefined> {
  const defaultUri = near && vscode.Uri.joinPath(near, "..");
  const shown = visible(title);
  return (await vscode.window.showOpenDialog({ title: shown, openLabel: shown, defaultUri }))?.[0];
}

/** Lets the user choose where to save a file. */
export async function chooseTarget(uri: vscode.Uri): Promise<vscode.Uri | undefined> {
  return await vscode.window.showSaveDialog({ defaultUri: uri });
}

/**
 * Runs what VS Code asked for, and shows its error. VS Code would show nothing, or the text of the
 * error with links.
 */
export async function reported(action: () => unknown): Promise<void> {
  try {
    await action();
  } catch (reason) {
    error`zeview: ${reason}`;
  }
}

/** Does the same where VS Code shows the error itself. */
export async function plainly<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (reason) {
    throw new Error(unlinked(value(reason)));
  }
}
