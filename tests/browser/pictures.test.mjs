// The pictures of the README and the documentation show the page as it is: it is brought into the state of each picture, and
// what it shows there is compared with the record of the picture.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { journey, keepWorkers, test } from "./harness.mjs";
import { RECORD, differences, format, parse, settled, shown, sum, toLines } from "./picture_record.mjs";
import { PICTURES, ROOT, statesOf } from "./picture_states.mjs";

/** Folders with texts, and single texts. */
const TEXTS = ["README.md", "CONTRIBUTING.md", "docs/src", "docs/embedding", "bindings/python/README.md", "packaging"];

const COMMAND = 'run "cargo xtask pictures"';

/** With the panes that a reader sees at first, as the pictures are taken. */
const asTaken = (options) => ({ ...options, storage: { "zeview.panes": "", ...options?.storage } });

const records = parse(readFileSync(RECORD, "utf8"));

for (const { file, options, ...picture } of PICTURES) {
  journey(`${file} shows the page as it is`, { ...asTaken(options), before: keepWorkers }, async (page) => {
    const record = records.get(file);
    assert.ok(record && existsSync(path.join(ROOT, file)), `${file} was never taken: ${COMMAND}`);
    assert.equal(await sum(file), record.sum, `${file} is not the picture that was taken with its record: ${COMMAND}`);
    let count = 0;
    for await (const _ of statesOf(picture, page)) {
      await settled(page);
      const found = differences(record.states[count] ?? [], await shown(page));
      assert.deepEqual(found.slice(0, 12), [], `${file} is older than the page (state ${count + 1}; ${found.length} differences): ${COMMAND}`);
      count += 1;
    }
    assert.equal(count, record.states.length, `${file} has another number of states: ${COMMAND}`);
  });
}

const LONG = PICTURES.find(({ file }) => file.endsWith("/spills.png"));
/** Gives the whole page another font. */
const useSerif = (page) => page.addInitScript(() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { font-family: serif !important; }");
  document.adoptedStyleSheets = [sheet];
});

journey("records do not depend on fonts", { ...asTaken(LONG.options), before: (page) => Promise.all([keepWorkers(page), useSerif(page)]) }, async (page) => {
  await LONG.show(page);
  await settled(page);
  assert.deepEqual(differences(records.get(LONG.file).states[0], await shown(page)), []);
});

/** The pictures in a text, relative to the root of the repository. */
function picturesIn(text) {
  const source = readFileSync(path.join(ROOT, text), "utf8");
  const prose = source.replaceAll(/^(```+)[^]*?^\1/gm, "").replaceAll(/`[^`\n]*`/g, "");
  const addresses = [
    ...prose.matchAll(/!\[[^\]]*\]\(([^)\s]+)[^)]*\)/g),
    ...prose.matchAll(/<(?:img|source)[^>]*\s(?:src|srcset)="([^"]+)"/g),
    ...prose.matchAll(/^\[[^\]]+\]:\s*(\S+\.(?:png|gif|jpe?g|webp))$/gm),
  ];
  return addresses.map(([, address]) => path.posix.normalize(path.posix.join(path.posix.dirname(text), address)));
}

function textsIn(name) {
  const whole = path.join(ROOT, name);
  if (name.endsWith(".md")) return [name];
  return readdirSync(whole, { recursive: true })
    .filter((file) => file.endsWith(".md") && !file.includes("node_modules"))
    .map((file) => path.posix.join(name, file.replaceAll("\\", "/")));
}

test("every picture of a text is taken by the command, and every picture is in a text", () => {
  const made = PICTURES.map(({ file }) => file);
  const used = TEXTS.flatMap(textsIn).flatMap((text) => picturesIn(text).map((file) => ({ text, file })));
  assert.ok(used.length > 5, `${used.length} pictures`);
  const unknown = used.filter(({ file }) => !made.includes(file));
  assert.deepEqual(unknown, [], "pictures that nobody takes again: add them to tests/browser/picture_states.mjs");
  assert.deepEqual(made.filter((file) => !used.some((one) => one.file === file)), [], "pictures that no text shows");
  assert.deepEqual([...records.keys()], made, `docs/pictures.txt has other pictures: ${COMMAND}`);
  const files = readdirSync(path.join(ROOT, "docs/src/pictures")).map((name) => `docs/src/pictures/${name}`);
  assert.deepEqual(files.filter((file) => !made.includes(file)), [], "files that are no pictures of a text");
});

// A record that accepts everything would report nothing.
const LIST = ["a", "b", "c", "d", "e", "f", "g", "h"];
const drawn = (text, parts = [], more = {}) => ({ text, box: null, isList: false, isSelected: false, isHead: false, isDrawn: true, parts, ...more });
const example = ({ x = 0, rows = LIST, selected = "d", title = "Kernel", button = "Open" } = {}) => [
  drawn("main", [
    drawn(`button "${button}"`),
    drawn('grid "Kernels"', [
      drawn(`row "${title}"`, [], { isHead: true }),
      ...rows.map((row) => drawn(`row "${row}"${row === selected ? " [selected]" : ""}`, [], { isSelected: row === selected })),
    ], { isList: true, box: [x, 40, 300, 200] }),
  ]),
];

test("a record notices words, titles, rows, selections and places, and no sizes of fonts", () => {
  const record = toLines(example());
  const found = (options) => differences(record, example(options));
  assert.deepEqual(found({}), []);
  assert.deepEqual(found({ x: 40 }), [], "another font moves parts by a few pixels");
  assert.deepEqual(found({ rows: LIST.slice(1) }), [], "fewer rows fit");
  assert.match(found({ x: 200 }).join(), /was at 0,40,300,200/);
  assert.match(found({ button: "Open a file" }).join("\n"), /has no more: button "Open"\n.*has now: button "Open a file"/);
  assert.match(found({ title: "Name" }).join(), /no more these rows/);
  assert.match(found({ selected: "e" }).join(), /no more these rows/);
  assert.match(found({ rows: LIST.filter((row) => row !== "c") }).join(), /no more these rows/);
  assert.match(differences(record, []).join(), /has no more: main/);
  const records = new Map([["docs/a.png", { sum: "0123", states: [record, record] }]]);
  assert.deepEqual(parse(format(records)), records);
});
