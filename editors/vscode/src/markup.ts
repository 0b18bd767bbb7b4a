// Text from files, paths and other machines, as text in VS Code's markup: one function for each kind.
// Only messages.ts, problems.ts and html.ts hand text to VS Code, and each passes it through these
// (test/markup.test.mjs checks that).

/** Maximum length of a value in a message, in characters: VS Code cuts messages of 1 000. */
const VALUE_MAX = 300;

/** Characters that show nothing, hide others, or change the direction of a text: those of `is_unseen` in the library. */
const UNSEEN = new RegExp(
  "[\\p{Cc}\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f"
  + "\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]",
  "gu",
);
const NAMED: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0" };

/** One line in which every character is visible, escaped as in the library's output. For labels without any markup. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (c) => NAMED[c] ?? escape(c));
}

/** A value in a message: visible, with an ellipsis in its middle if it is long. */
export function value(text: unknown): string {
  const shown = Array.from(visible(text instanceof Error ? text.message : String(text)));
  if (shown.length <= VALUE_MAX) return shown.join("");
  const half = (VALUE_MAX - 1) / 2;
  return `${shown.slice(0, Math.ceil(half)).join("")}…${shown.slice(-Math.floor(half)).join("")}`;
}

/**
 * A message without links. VS Code makes links of `[label](https:…)`, `[label](command:…)` and
 * `[label](file:…)` in notifications, and a click runs the command.
 */
export function unlinked(text: string): string {
  return visible(text).replaceAll("](", `]${escape("(")}`);
}

/** A label without icons, which VS Code shows for `$(name)`: in quick picks and the status bar. */
export function unadorned(text: string): string {
  return visible(text).replaceAll("$(", `$${escape("(")}`);
}

/** Text in HTML, also in the value of an attribute. */
export function htmlText(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return visible(text).replace(/[&<>"']/g, (c) => entities[c] ?? "");
}

function escape(c: string): string {
  return `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`;
}
