// The npm package in a page and a module worker that Vite builds or serves.

import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { build, createServer } from "vite";
import { atEnd, expectRequests, journey } from "./harness.mjs";
import { installPackage } from "./package.mjs";
import { serve } from "./server.mjs";

const SAMPLE = path.join(import.meta.dirname, "../../www/samples/spill.dg2.zebin");

/** The page and its worker as a user would write them. */
const FILES = {
  "index.html": `<!doctype html><html lang="en"><title>Built</title><link rel="icon" href="data:,"><script type="module" src="./main.js"></script>`,
  "read.js": `
    import { ZeviewDocument } from "zeview";
    export async function read(bytes) {
      const opened = await ZeviewDocument.open(bytes, { name: "spill" });
      const said = {
        format: opened.summary().format,
        kernels: opened.kernels({ sort: "-private_size" }).map(({ name, private_size }) => [name, private_size]),
        outcome: opened.verdict().outcome,
        lines: opened.disassemble("spill").split("\\n").length,
        where: globalThis.constructor.name,
      };
      opened.free();
      return said;
    }`,
  "main.js": `
    import { read } from "./read.js";
    globalThis.inPage = read;
    globalThis.inWorker = (bytes) => new Promise((resolve, reject) => {
      const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
      worker.postMessage(bytes);
    });`,
  "worker.js": `
    import { read } from "./read.js";
    onmessage = async ({ data }) => postMessage(await read(data));`,
};

/** The Content-Security-Policy that the package requires. */
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src data:";

const folder = await installPackage();
atEnd(() => rm(folder, { recursive: true }));
for (const [name, text] of Object.entries(FILES)) await writeFile(path.join(folder, name), text);

for (const format of ["es", "iife"]) {
  const outDir = path.join(folder, format);
  await build({ root: folder, base: "./", logLevel: "warn", configFile: false, worker: { format }, build: { outDir } });
  const server = await serve(outDir, { prefix: "/in/a/folder/", headers: { "Content-Security-Policy": POLICY } });
  atEnd(() => server.close());

  journey(`a page and a worker built by Vite open a file (${format})`, { server, other: true }, async (page) => {
    // Each loads the decoder once, with the first file.
    expectRequests(page, /\.wasm$/, /worker-[\w-]+\.js$/);
    await openInBoth(page);
    assert.equal(server.log.filter((request) => request.endsWith(".wasm")).length, 2);
  });
}

// As in the package's README: otherwise Vite prebundles the scripts without the decoder.
const optimizeDeps = { exclude: ["zeview"] };
const serving = await createServer({ root: folder, logLevel: "warn", configFile: false, optimizeDeps, server: { host: "127.0.0.1", port: 0 } });
await serving.listen();
atEnd(() => serving.close());
const [url] = serving.resolvedUrls.local;

journey("a page and a worker served by Vite open a file", { server: { url, origin: new URL(url).origin, log: [] }, other: true }, openInBoth);

/** Opens a file in the page and in its worker. */
async function openInBoth(page) {
  const base64 = (await readFile(SAMPLE)).toString("base64");
  const read = (which) => page.evaluate(async ([which, base64]) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    return globalThis[which](bytes);
  }, [which, base64]);
  const { where, ...inPage } = await read("inPage");
  assert.equal(where, "Window");
  assert.equal(inPage.format, "zebin");
  assert.deepEqual(inPage.kernels[0], ["hugeprivate", 5120000]);
  assert.equal(inPage.outcome, "loads");
  assert.ok(inPage.lines > 100);
  assert.deepEqual(await read("inWorker"), { ...inPage, where: "DedicatedWorkerGlobalScope" });
}
