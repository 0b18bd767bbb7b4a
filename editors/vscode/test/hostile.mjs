// Names that do harm if VS Code interprets them, and what VS Code interprets.

const LONG = "x".repeat(5000);

export const NAMES = [
  "[Install the source package](command:workbench.action.terminal.sendSequence?%7B%22text%22%3A%22x%22%7D)",
  "[a](COMMAND:x)",
  "[a](https://example.org \"title\")",
  "[a](file:///etc/passwd)",
  "[a]\n(command:x)",
  "[a]\u200b(command:x)",
  "[[a]](command:x)",
  "](command:x)",
  "[a",
  "[a]",
  "(command:x)",
  "$(trash)",
  "$(sync~spin) $(x)",
  "\\$(trash)",
  "$$(trash)",
  "$\u200b(trash)",
  "<img src=x onerror=alert(1)>",
  "</h1><script>alert(1)</script>",
  "\" onload=\"alert(1)",
  "&lt;b&gt;",
  "`a` **b** | c",
  "\u202enibez.\u2066x",
  "a\u0000b\u001b[31m\r\nFORGED",
  "a\u2028FORGED",
  "\u{e0041}\ufe0f",
  "//host/share/x.cl",
  "\\\\host\\share\\x.cl",
  "//",
  "/",
  "..",
  ".",
  "",
  "../../FORGED.cl",
  "C:\\a\\b.cl",
  "https://example.org/x.cl",
  "a?b#c%2Fd.cl",
  "{a,b}[c]*.cl",
  `[${LONG}](command:x)`,
  `${LONG}](command:x)`,
];

// As VS Code finds links in notifications (src/vs/base/common/linkedText.ts), after it has cut them
// and replaced line breaks (src/vs/workbench/common/notifications.ts): an opening bracket before a
// closing one and a parenthesis with one of these schemes.
const LINK = /\[[^\]]+\]\((?:https?:|command:|file:)/i;
// As in src/vs/base/common/iconLabels.ts: the name of an icon.
const ICON = /\$\([A-Za-z0-9-]+(?:~[A-Za-z]+)?\)/;
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029\ufe00-\ufe0f]/u;

/** What VS Code would do with a notification. */
export function links(text) {
  const cut = text.length > 1000 ? `${text.slice(0, 1000)}...` : text;
  return LINK.exec(cut.replace(/\r\n|\n|\r/g, " "))?.[0];
}

export const icons = (text) => ICON.exec(text)?.[0];
export const unseen = (text) => UNSEEN.exec(text)?.[0];
