// In browsers, their workers, and bundlers: the decoder is fetched from beside this script.
import init from "./decoder.js";
import { bind } from "./document.js";

export const ZeviewDocument = bind(() => init());
