// In Node: the decoder is read from the disk.
import { readFile } from "node:fs/promises";
import init from "./decoder.js";
import { bind } from "./document.js";

export const ZeviewDocument = bind(async () =>
  init({ module_or_path: await readFile(new URL("./decoder_bg.wasm", import.meta.url)) }));
