// The npm package, packed and installed into an empty folder.

import { execFile } from "node:child_process";
import { mkdtemp, readdir, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const PACKAGE = path.resolve(process.env.ZEVIEW_NPM ?? path.join(import.meta.dirname, "../../target/npm"));
export const run = promisify(execFile);

/** Returns the folder. */
export async function installPackage() {
  const folder = await mkdtemp(path.join(os.tmpdir(), "zeview-npm-"));
  await run("npm", ["pack", "--silent", "--pack-destination", folder, PACKAGE]);
  const [packed] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  await writeFile(path.join(folder, "package.json"), '{ "private": true, "type": "module" }');
  await run("npm", ["install", "--silent", "--offline", "--no-audit", `./${packed}`], { cwd: folder });
  return folder;
}
