// Runs files of journeys, one after the other, until none is left (all.mjs).

import { open, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { closeBrowser, runFile } from "./harness.mjs";

const HERE = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const LANES = path.join(HERE, "out/lanes");

/** Returns whether this lane is the first to take the file. */
async function take(name) {
  try {
    await (await open(path.join(LANES, `${name}.taken`), "wx")).close();
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

for (const name of JSON.parse(await readFile(path.join(LANES, "files.json"), "utf8"))) {
  if (!(await take(name))) continue;
  await runFile(path.join(HERE, name));
  await writeFile(path.join(LANES, `${name}.done`), "");
}
await closeBrowser();
