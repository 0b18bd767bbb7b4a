// The extension in Node.js: on a desktop, or on the remote machine that has the files.

import { open, readFile, stat } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import * as vscode from "vscode";
import { start } from "./extension.ts";
import type { Decoder, FileOnDisk, Platform } from "./platform.ts";

/** The path of the decoder's program in the extension; set by build.mjs. */
declare const DECODER: string;

export function activate(context: vscode.ExtensionContext): void {
  const path = (...parts: string[]) => vscode.Uri.joinPath(context.extensionUri, ...parts).fsPath;
  let program: Promise<WebAssembly.Module> | undefined;
  // All decoders share the machine code. After a failure, the next one tries again.
  const compiled = () => program ??= readFile(path(DECODER))
    .then((bytes) => WebAssembly.compile(bytes))
    .catch((error) => {
      program = undefined;
      throw error;
    });

  const platform: Platform = {
    startDecoder: (tell, fail) => startDecoder(path("out", "decoder_thread.js"), compiled(), tell, fail),
    async open(uri) {
      if (uri.scheme !== "file") return undefined;
      const { size, mtimeMs } = await stat(uri.fsPath).catch((error) => {
        throw error.code === "ENOENT" ? new Error("It was moved or deleted.") : error;
      });
      return { path: uri.fsPath, size, modified: mtimeMs };
    },
    read,
  };
  start(context, platform);
}

async function read(file: FileOnDisk, start: number, end: number): Promise<Uint8Array> {
  const handle = await open(file.path, "r");
  try {
    const { size, mtimeMs } = await handle.stat();
    if (size !== file.size || mtimeMs !== file.modified) throw new Error("the file was changed");
    const bytes = new Uint8Array(end - start);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
    if (bytesRead !== bytes.length) throw new Error("the file was truncated");
    return bytes;
  } finally {
    await handle.close();
  }
}

function startDecoder(
  script: string,
  program: Promise<WebAssembly.Module>,
  tell: (message: unknown) => void,
  fail: (text: string) => void,
): Decoder {
  let thread: Worker | undefined;
  let isClosed = false;
  const failed = (error: Error) => isClosed || fail(error.message);
  program.then((workerData) => {
    if (isClosed) return;
    thread = new Worker(script, { workerData, name: "zeview" });
    thread.on("message", tell);
    thread.on("error", failed);
    thread.on("exit", () => failed(new Error("the decoder ended")));
  }).catch(failed);
  return {
    post: (message) => thread?.postMessage(message),
    close() {
      isClosed = true;
      void thread?.terminate();
    },
  };
}
