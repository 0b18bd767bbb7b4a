// zeview compared with similar tools, on the same files in one run: `cargo xtask bench peers`
// (after `cargo xtask dist`). Prints a Markdown table.
//
// Compared runs alternate; values are medians of 15 runs.
//
// * Programs run as whole processes, with their output discarded. `iga64` gets the code of each
//   kernel as a file, `zstd` the file as clang compresses it (level 10), zeview the same in clang's
//   bundle.
// * `serde_yaml` and zeview's reader read `.ze_info` in one warm process.
// * JavaScript readers (peers/readers.js) start in a fresh Node process, or a fresh page in
//   Chromium: the first file includes loading the library (cold), the eleventh is warm. They must
//   find the same counts.
//
// Kaitai's ELF description is downloaded, unless `KAITAI_ELF` names a local file. With
// ZEVIEW_CORPUS, reads its files of 600 kernels and a small one, else samples of the page. Peers
// that are not installed are skipped.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { closeBrowser, closePage, openPage } from "../tests/browser/harness.mjs";
import { serve } from "../tests/browser/server.mjs";
import { ownProgram, timesOf } from "./native.mjs";

const ROOT = path.resolve(import.meta.dirname, "..");
const FOLDER = path.join(ROOT, "target/bench/peers");
const RUNS = 15;
const ELF_KSY = "https://raw.githubusercontent.com/kaitai-io/kaitai_struct_formats/024902cfe40c07d981a5c3707847bae81de16edd/executable/elf.ksy";
/** Response headers that give the page precise clocks. */
const ISOLATED = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };
const require = createRequire(path.join(ROOT, "tests/browser/package.json"));

/** Samples of one generation; `iga64` requires its name. */
function files() {
  const samples = process.env.ZEVIEW_CORPUS && path.join(process.env.ZEVIEW_CORPUS, "samples/zebin");
  const names = ["many600.dg2.igc2.40.zebin", "many600-g.dg2.igc2.40.zebin", "funcs.dg2.igc2.40.zebin"];
  if (samples) return names.map((name) => path.join(samples, name));
  return ["kernels600.dg2.zebin", "spill.dg2.zebin"].map((name) => path.join(ROOT, "www/samples", name));
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

// -- Programs -------------------------------------------------------------------

/** Fails if a command fails or prints nothing, so that its time is meaningless. */
function tryOut([program, ...args]) {
  const { error, status, stdout, stderr } = spawnSync(program, args, { maxBuffer: 2 ** 30 });
  if (error?.code === "ENOENT") return false;
  if (error) throw error;
  assert.ok(status === 0 && stdout.length > 0, `${program} ${args[0]}: ${stderr.toString().slice(0, 1000)}`);
  return true;
}

function time([program, ...args]) {
  const start = performance.now();
  spawnSync(program, args, { stdio: "ignore" });
  return performance.now() - start;
}

/** Measures a command of zeview and its peers. */
function programs(work, ours, peers) {
  const commands = [ours, ...peers];
  const isThere = commands.map(({ command }) => tryOut(command));
  const times = commands.map(() => []);
  for (let run = 0; run < RUNS; run++) {
    commands.forEach(({ command }, i) => isThere[i] && times[i].push(time(command)));
  }
  const [own, ...others] = times.map(median);
  return peers.map(({ label }, i) => ({ work, ours: ours.label, peer: label, own, other: others[i] }));
}

/** A file in a bundle of clang-offload-bundler, uncompressed and compressed. */
async function bundle(bytes) {
  const id = "hip-spir64_gen-unknown-unknown--dg2";
  const head = Buffer.alloc(56 + id.length);
  head.write("__CLANG_OFFLOAD_BUNDLE__");
  [1, head.length, bytes.length, id.length].forEach((number, i) => head.writeBigUInt64LE(BigInt(number), 24 + 8 * i));
  head.write(id, 56);
  const [plain, packed, wrapped] = ["plain.bundle", "packed.zst", "packed.bundle"].map((name) => path.join(FOLDER, name));
  await writeFile(plain, Buffer.concat([head, bytes]));
  if (spawnSync("zstd", ["-q", "-f", "-10", plain, "-o", packed]).error) return null;
  const frame = await readFile(packed);
  const outer = Buffer.alloc(24);
  outer.write("CCOB");
  // Version 2, zstd.
  [2, 1].forEach((number, i) => outer.writeUInt16LE(number, 4 + 2 * i));
  [24 + frame.length, head.length + bytes.length].forEach((number, i) => outer.writeUInt32LE(number, 8 + 4 * i));
  await writeFile(wrapped, Buffer.concat([outer, frame]));
  return { packed, wrapped, part: `compressed bundle/bundle/${id}` };
}

async function native(program, file, bytes) {
  const zeview = (...args) => ({ label: `\`zeview ${args[0]}${args[1]?.startsWith("--") ? ` ${args[1]}` : ""}\``, command: [program, ...args] });
  const peer = (name, ...args) => ({ label: `\`${name} ${args[0]}\``, command: [name, ...args] });
  const readelfs = (option) => ["readelf", "llvm-readelf"].map((name) => peer(name, option, file));
  const code = path.join(FOLDER, "code");
  execFileSync(program, ["extract", file, ".text.*", "-o", `${code}/`], { stdio: "ignore" });
  const kernels = (await readdir(code)).map((name) => path.join(code, name));
  const rows = [
    ...programs("symbols as text", zeview("ls", "--symbols", file), readelfs("-sW")),
    ...programs("relocations as text", zeview("ls", "--relocations", file), readelfs("-rW")),
    ...programs("all of it: zeview checks, they print", zeview("check", file), readelfs("-aW")),
    ...programs("assembly", zeview("disasm", file), [peer("iga64", "-d", "-p", "12p71", ...kernels)]),
  ];
  await rm(code, { recursive: true });
  const packed = await bundle(bytes);
  if (packed) rows.push(...programs("decompressed", zeview("extract", packed.wrapped, packed.part, "-o", "-"), [peer("zstd", "-dc", packed.packed)]));
  const [own, other] = await timesOf("ze_info", file);
  rows.push({ work: "`.ze_info` as a tree, warm", ours: "its reader", peer: "`serde_yaml`", own, other });
  return rows;
}

// -- JavaScript -----------------------------------------------------------------

/** Installs the libraries. Returns the names of the readers. */
async function libraries() {
  await writeFile(path.join(FOLDER, "package.json"), '{ "type": "module" }');
  await writeFile(path.join(FOLDER, "index.html"), '<!doctype html><link rel="icon" href="data:,">');
  await copyFile(path.join(import.meta.dirname, "peers/readers.js"), path.join(FOLDER, "readers.js"));
  await cp(process.env.ZEVIEW_NPM, path.join(FOLDER, "zeview"), { recursive: true });
  await writeFile(path.join(FOLDER, "elfinfo.js"), `export { default } from "${pathToFileURL(require.resolve("elfinfo"))}";`);
  const description = await kaitaiElf();
  if (description === null) return ["zeview", "decoded", "elfinfo"];
  const compiler = require("kaitai-struct-compiler");
  const made = await compiler.compile("javascript", require("js-yaml").load(description), null, false);
  await writeFile(path.join(FOLDER, "Elf.js"), made["Elf.js"]);
  await copyFile(require.resolve("kaitai-struct/KaitaiStream"), path.join(FOLDER, "KaitaiStream.js"));
  return ["zeview", "kaitai", "decoded", "elfinfo"];
}

async function kaitaiElf() {
  const { KAITAI_ELF: file } = process.env;
  if (file) return readFile(file, "utf8");
  try {
    const answer = await fetch(ELF_KSY, { signal: AbortSignal.timeout(20_000) });
    if (!answer.ok) throw new Error(`${answer.status}`);
    return await answer.text();
  } catch (error) {
    console.log(`Kaitai's rows are left out (${error.message}): KAITAI_ELF may name a copy of ${ELF_KSY}\n`);
    return null;
  }
}

const IN_NODE = `
  import { readFile } from "node:fs/promises";
  import { measure } from "./readers.js";
  const [, reader, file] = process.argv;
  console.log(JSON.stringify(await measure(reader, new Uint8Array(await readFile(file)))));`;

function inNode(reader, file) {
  const args = ["--input-type=module", "--eval", IN_NODE, reader, file];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: FOLDER, encoding: "utf8" }));
}

async function inChromium(server, reader) {
  const page = await openPage({ server, other: true, until: "started" });
  const seen = await page.evaluate(async (reader) => {
    const { measure } = await import("./readers.js");
    const answer = await fetch("file");
    return measure(reader, new Uint8Array(await answer.arrayBuffer()));
  }, reader);
  const errors = await closePage(page);
  assert.deepEqual(errors, [], "the page reported errors");
  return seen;
}

async function scripts(names, file) {
  await copyFile(file, path.join(FOLDER, "file"));
  const server = await serve(FOLDER, { headers: ISOLATED });
  const rows = [];
  const failed = new Set();
  for (const [place, run] of [["Node", (name) => inNode(name, file)], ["Chromium", (name) => inChromium(server, name)]]) {
    const readers = names.filter((name) => place === "Node" || name !== "elfinfo");
    const seen = Object.fromEntries(readers.map((name) => [name, []]));
    for (let i = 0; i < RUNS; i++) {
      for (const name of readers) seen[name].push(await run(name));
    }
    const { zeview, decoded, ...peers } = seen;
    for (const temperature of ["cold", "warm"]) {
      const of = (runs) => median(runs.map((run) => run[temperature]));
      const row = { work: `sections, symbols, relocations, notes: ${place}, ${temperature}`, ours: "npm package", own: of(zeview) };
      for (const [name, runs] of Object.entries(peers)) {
        const { failed: notRead = [], ...found } = runs[0].found;
        notRead.forEach((line) => failed.add(line));
        for (const [what, count] of Object.entries(found)) assert.equal(count, zeview[0].found[what], `${what} of ${name}`);
        rows.push({ ...row, peer: name === "kaitai" ? "Kaitai Struct" : "`elfinfo`, no notes", other: of(runs) });
      }
      rows.push({ ...row, work: `the same, kernels, verdict, problems: ${place}, ${temperature}`, peer: null, own: of(decoded) });
    }
  }
  await server.close();
  return { rows, failed };
}

// -- The table ------------------------------------------------------------------

const size = (bytes) => (bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} KB` : `${(bytes / 1e6).toFixed(2)} MB`);
const ms = (number) => number.toFixed(number < 1 ? 2 : 1);

/** The times of the peer and of zeview, and their ratio. */
function cell({ own, other, peer }) {
  if (peer === null) return `${ms(own)} ms`;
  if (other === undefined) return "not installed";
  return `${ms(other)} : ${ms(own)} ms = ${(other / own).toFixed(2)}`;
}

try {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const names = await libraries();
  const program = await ownProgram();
  const [heads, columns, notes] = [[], [], []];
  for (const file of files()) {
    const bytes = await readFile(file);
    const { rows, failed } = await scripts(names, file);
    columns.push([...(await native(program, file, bytes)), ...rows]);
    heads.push(`\`${path.basename(file)}\`, ${size(bytes.length)}`);
    notes.push(...[...failed].map((line) => `Kaitai Struct cannot read in ${path.basename(file)}: ${line}`));
  }
  console.log(`Medians of ${RUNS}, peer : zeview = times zeview.\n`);
  console.log(`| Work | zeview | Peer | ${heads.join(" | ")} |\n|---|---|---|${"---|".repeat(heads.length)}`);
  columns[0].forEach(({ work, ours, peer }, i) => {
    console.log(`| ${[work, ours, peer ?? "–", ...columns.map((rows) => cell(rows[i]))].join(" | ")} |`);
  });
  if (notes.length > 0) console.log(`\n${notes.join("\n")}`);
} finally {
  await closeBrowser();
}
