// What a picture shows, as text: the roles, names and states of the page, and the boxes of its panes.
//
// `docs/pictures.txt` has the record of each picture. It depends neither on fonts nor on pixels: boxes are compared with a
// tolerance, and of long lists, of which the page draws what fits, a few rows.

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { eventually, isIdle } from "./harness.mjs";
import { ROOT } from "./picture_states.mjs";

export const RECORD = path.join(ROOT, "docs/pictures.txt");

const TITLE = `What the pictures of the README and the documentation show. "cargo xtask pictures" takes the pictures and writes this
file; tests/browser/pictures.test.mjs opens the same states of the page and compares.`;

/** Roles whose boxes make the layout. Regions within a region scroll with its text: where they are depends on its font. */
const PANES = new Set(["banner", "main", "contentinfo", "region", "tabpanel", "grid", "treegrid", "tree", "listbox", "dialog"]);

/** Roles with rows: the page draws those that fit, and tables may be long. */
const LISTS = new Set(["grid", "treegrid", "tree", "listbox", "table", "rowgroup"]);

/** Number of rows of such a list in the record. */
const ROWS = 5;

/** Largest difference of an edge in pixels: lines of other fonts are longer and wrap. */
const TOLERANCE = 60;

/** States of a row, a button or a tab. */
const STATES = ["selected", "pressed", "checked", "expanded", "disabled", "level"];

/**
 * A part of the page.
 *
 * @typedef {object} Part
 * @property {string} text role, name, states and text
 * @property {number[] | null} box x, y, width, height of a pane
 * @property {boolean} isList its parts are rows, of which a record has a few
 * @property {boolean} isSelected
 * @property {boolean} isHead a row of column titles
 * @property {boolean} isDrawn within the list around it
 * @property {Part[]} parts
 */

/** Waits until the page answers no more requests and shows no message. */
export async function settled(page) {
  await isIdle(page);
  await page.mouse.move(0, 0);
  // A message of the page goes by itself.
  await eventually(() => page.locator(".notice:visible").count(), 0);
  let before = null;
  await eventually(async () => {
    await page.waitForTimeout(300);
    await isIdle(page);
    const now = JSON.stringify(await page.locator("body").ariaSnapshotJSON({ boxes: true }));
    const isSame = now === before;
    before = now;
    return isSame;
  }, true);
}

/** Returns the parts of the page. */
export async function shown(page) {
  const nodes = await page.locator("body").ariaSnapshotJSON({ boxes: true });
  const { width, height } = page.viewportSize();
  return nodes.map((node) => partOf(node, { x: 0, y: 0, width, height }, false));
}

const isDrawn = (box, { x, y, width, height }) =>
  !box || (box.x < x + width && box.y < y + height && box.x + box.width > x && box.y + box.height > y);

/** A text without its kinds of spaces, and without the version of the program: a release needs no other pictures. */
const plain = (text) => String(text).replaceAll(/\s+/g, " ").trim().replace(/^v\d+\.\d+\.\d+$/, "vX");

function partOf(node, window, isInRegion) {
  if (typeof node === "string") return { text: `text: ${plain(node)}`, box: null, isDrawn: true, parts: [] };
  const { role, name, text, box } = node;
  const states = STATES.filter((state) => node[state] !== undefined && node[state] !== false);
  const words = [
    role,
    name ? JSON.stringify(plain(name)) : "",
    ...states.map((state) => (node[state] === true ? `[${state}]` : `[${state}=${node[state]}]`)),
    text ? `: ${plain(text)}` : "",
  ];
  const isList = LISTS.has(role);
  // The name of a row has its cells. Options of a closed list are not visible.
  const hasRows = !["row", "option", "treeitem", "combobox"].includes(role);
  const children = hasRows ? (node.children ?? []) : [];
  const within = isList ? intersection(box, window) : window;
  return {
    text: words.filter(Boolean).join(" ").replace(" : ", ": "),
    box: PANES.has(role) && box && !(role === "region" && isInRegion) ? [box.x, box.y, box.width, box.height].map((at) => Math.round(at / 10) * 10) : null,
    isList,
    isSelected: Boolean(node.selected),
    isHead: role === "row" && (node.children ?? []).some((cell) => cell.role === "columnheader"),
    isDrawn: isDrawn(box, window),
    parts: children.map((child) => partOf(child, within, isInRegion || role === "region")),
  };
}

function intersection(a, b) {
  const [x, y] = [Math.max(a.x, b.x), Math.max(a.y, b.y)];
  return { x, y, width: Math.min(a.x + a.width, b.x + b.width) - x, height: Math.min(a.y + a.height, b.y + b.height) - y };
}

/** The rows of a list that a record has: titles, and those around the selected one or in the middle of those that are drawn. */
function recorded(parts) {
  const rows = parts.filter(({ isHead, isDrawn }) => isDrawn && !isHead);
  const selected = rows.findIndex(({ isSelected }) => isSelected);
  const middle = selected < 0 ? Math.floor(rows.length / 2) : selected;
  const start = Math.max(0, Math.min(middle - Math.floor(ROWS / 2), rows.length - ROWS));
  return [...parts.filter(({ isHead }) => isHead), ...rows.slice(start, start + ROWS)];
}

/** The record of a state, as lines. */
export function toLines(parts, indent = "  ") {
  return parts.flatMap(({ text, box, isList, parts }) => [
    `${indent}${isList ? "* " : "- "}${text}${box ? ` @${box.join(",")}` : ""}`,
    ...toLines(isList ? recorded(parts) : parts, `${indent}  `),
  ]);
}

function fromLines(lines) {
  const top = { parts: [] };
  const open = [{ depth: 0, part: top }];
  for (const line of lines) {
    const [, indent, mark, text, box] = /^( +)([-*]) (.*?)(?: @(-?\d+,-?\d+,\d+,\d+))?$/.exec(line);
    const part = { text, box: box ? box.split(",").map(Number) : null, isList: mark === "*", parts: [] };
    while (open.at(-1).depth >= indent.length) open.pop();
    open.at(-1).part.parts.push(part);
    open.push({ depth: indent.length, part });
  }
  return top.parts;
}

/**
 * Returns the differences of what the page shows from a record, as lines.
 *
 * @param {string[]} record lines of `toLines`
 * @param {Part[]} parts of `shown`
 */
export function differences(record, parts) {
  const found = [];
  compare(fromLines(record), parts, "the page", found);
  return found;
}

function compare(before, now, where, found) {
  const texts = [before, now].map((parts) => parts.map(({ text }) => text));
  for (const [at, text] of texts[0].entries()) if (count(texts[1], text) < count(texts[0], text) && texts[0].indexOf(text) === at) found.push(`${where} has no more: ${text}`);
  for (const [at, text] of texts[1].entries()) if (count(texts[0], text) < count(texts[1], text) && texts[1].indexOf(text) === at) found.push(`${where} has now: ${text}`);
  if (texts[0].join("\n") !== texts[1].join("\n")) {
    if (found.length === 0) found.push(`${where} has another order: ${texts[1].join(", ")}`);
    return;
  }
  for (const [at, part] of before.entries()) {
    const { text, box, parts, isList } = now[at];
    if (part.box && box && edges(part.box).some((edge, side) => Math.abs(edge - edges(box)[side]) > TOLERANCE)) {
      found.push(`${text} was at ${part.box.join(",")} (x, y, width, height) and is at ${box.join(",")}`);
    }
    if (!isList) compare(part.parts, parts, text, found);
    else if (!contains(parts, part.parts)) found.push(`${text} has no more these rows: ${part.parts.map((row) => row.text).join(" | ")}`);
  }
}

const count = (texts, text) => texts.filter((other) => other === text).length;
const edges = ([x, y, width, height]) => [x, y, x + width, y + height];

/** Whether a list has the titles of a record, and its rows one after the other. */
function contains(list, record) {
  const titles = list.filter(({ isHead }) => isHead);
  if (!titles.every(({ text }, at) => record[at]?.text === text)) return false;
  const rows = record.slice(titles.length);
  const all = list.filter(({ isHead }) => !isHead);
  return rows.length === 0 || all.some((_, start) => rows.every(({ text }, at) => all[start + at]?.text === text));
}

/** A short sum of a file: a picture that was not taken with its record is another one. */
export async function sum(file) {
  return createHash("sha256").update(await readFile(path.join(ROOT, file))).digest("hex").slice(0, 16);
}

/**
 * The records by file: the sum of the picture and the lines of each of its states.
 *
 * @returns {Map<string, {sum: string, states: string[][]}>}
 */
export function parse(text) {
  const records = new Map();
  for (const block of text.split(/^== /m).slice(1)) {
    const [head, ...lines] = block.trimEnd().split("\n");
    const [, file, sum] = /^(\S+) (\S+) ==$/.exec(head);
    const states = [];
    for (const line of lines) line.startsWith("state ") ? states.push([]) : states.at(-1).push(line);
    records.set(file, { sum, states });
  }
  return records;
}

export function format(records) {
  const blocks = [...records].map(([file, { sum, states }]) => {
    const lines = states.flatMap((lines, at) => [`state ${at + 1}`, ...lines]);
    return `== ${file} ${sum} ==\n${lines.join("\n")}\n`;
  });
  return `${TITLE}\n\n${blocks.join("\n")}`;
}
