// Runs all files of journeys, or the given ones: `node all.mjs [FILE…]`. Prints TAP.
//
// A few lanes, each a process with a browser, take the files one by one.

import { existsSync } from "node:fs";
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { run } from "node:test";
import { tap } from "node:test/reporters";

const HERE = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const LANES = path.join(HERE, "out/lanes");

/** More than cores: some journeys wait for late answers. */
const count = Number(process.env.ZEVIEW_LANES ?? os.availableParallelism() + 1);

const names = process.argv.length > 2
  ? process.argv.slice(2).map((name) => path.basename(name))
  : (await readdir(HERE)).filter((name) => name.endsWith(".test.mjs"));
const sizes = new Map(await Promise.all(names.map(async (name) => [name, (await stat(path.join(HERE, name))).size])));
// Long files first, so that all lanes end at about the same time.
names.sort((a, b) => sizes.get(b) - sizes.get(a));

await rm(LANES, { recursive: true, force: true });
await mkdir(LANES, { recursive: true });
await writeFile(path.join(LANES, "files.json"), JSON.stringify(names));
// The runner starts one process per file.
const lanes = Array.from({ length: Math.min(count, names.length) }, (_, at) => path.join(LANES, `lane-${at + 1}.mjs`));
await Promise.all(lanes.map((lane) => writeFile(lane, 'import "../../lane.mjs";\n')));
process.env.ZEVIEW_LANE = "1";

run({ files: lanes, concurrency: lanes.length })
  .on("test:fail", ({ todo }) => { if (todo === undefined || todo === false) process.exitCode = 1; })
  .compose(tap)
  .on("end", () => {
    const missing = names.filter((name) => !existsSync(path.join(LANES, `${name}.done`)));
    if (missing.length === 0) return;
    process.exitCode = 1;
    console.error(`these files were not run to their end: ${missing.join(" ")}`);
  })
  .pipe(process.stdout);
