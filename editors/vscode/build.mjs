// Bundles the extension into out/ and media/. The environment names the page's release folder:
// ZEVIEW_PAGE=dist/0123456789ab (cargo xtask vscode).

import { build } from "esbuild";
import { copyFile, mkdir } from "node:fs/promises";
import path from "node:path";

const page = process.env.ZEVIEW_PAGE;
if (!page) throw new Error("ZEVIEW_PAGE does not name the folder of the page's scripts: use cargo xtask vscode");

const common = { bundle: true, minify: true, target: "es2022", legalComments: "none", logLevel: "warning" };

await Promise.all([
  build({
    ...common,
    entryPoints: ["src/node.ts", "src/decoder_thread.ts"],
    outdir: "out",
    platform: "node",
    format: "cjs",
    external: ["vscode"],
    alias: { "zeview-decoder": path.resolve(page, "worker.js") },
    define: {
      DECODER: JSON.stringify(`page/${path.basename(page)}/worker_bg.wasm`),
      // The decoder's script would only use it to find its program, which it is given.
      "import.meta.url": '""',
    },
  }),
  build({
    ...common,
    entryPoints: ["src/browser.ts"],
    outdir: "out",
    platform: "browser",
    format: "cjs",
    external: ["vscode"],
  }),
  build({ ...common, entryPoints: ["webview/host.ts"], outdir: "media", format: "iife" }),
  build({ ...common, entryPoints: ["webview/decoder.ts"], outdir: "media", format: "esm" }),
]);
await mkdir("media", { recursive: true });
await copyFile("webview/editor.css", "media/editor.css");
