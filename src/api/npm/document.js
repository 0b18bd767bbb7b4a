// Wraps the class that wasm-bindgen generates.
import { ProfileReader, ZeviewDocument as Decoded } from "./decoder.js";
import { rowsOf } from "./rows.js";

/** Number of bytes of a profile that are read at once. */
const PIECE = 4 << 20;

/** Returns the class for a loader, which is called when the first file is opened. */
export function bind(load) {
  let loading = null;

  async function loaded() {
    // In a worker the decoder would otherwise listen to messages.
    globalThis.zeviewHost = false;
    loading ??= load().catch((error) => {
      loading = null;
      throw error;
    });
    await loading;
  }

  return class ZeviewDocument {
    #opened;

    constructor(decoded) {
      if (!(decoded instanceof Decoded)) throw new TypeError("use ZeviewDocument.open");
      this.#opened = decoded;
    }

    /** The decoder's document. */
    get #decoded() {
      if (this.#opened === null) throw Object.assign(new Error("the document is closed"), { code: "closed" });
      return this.#opened;
    }

    static async open(source, options) {
      const bytes = await bytesOf(source);
      await loaded();
      return new ZeviewDocument(Decoded.open(bytes, options));
    }

    summary() { return this.#decoded.summary(); }
    node(id) { return this.#decoded.node(id); }
    children(id, start = 0, count = 512) { return this.#decoded.children(id, start, count); }
    nodesAt(source, offset) { return [...this.#decoded.nodesAt(source, offset)]; }
    bytes(source, start, end) { return this.#decoded.bytes(source, start, end); }
    unread() { return this.#decoded.unread(); }
    diagnostics() { return this.#decoded.diagnostics(); }
    problems() { return this.#decoded.problems(); }
    check(device, driver) {
      const { diagnostics: problems, ...check } = this.#decoded.check(device, driver);
      return { ...check, problems };
    }
    verdict(device, driver) { return this.#decoded.verdict(device, driver); }
    list(name, options) { return rowsOf(this.#decoded.table(name, options)); }
    kernels(options) { return this.list("kernels", options); }
    images(options) { return this.list("images", options); }
    modules(options) { return this.list("modules", options); }
    kernel(name, options) { return this.#decoded.kernel(name, options); }
    disassemble(kernel, options) {
      const decoded = this.#decoded;
      const { dataflow = false, ...build } = options ?? {};
      return dataflow ? decoded.instructions(kernel, build) : decoded.disassemble(kernel, build);
    }
    spirv(kernel = "", options = {}) {
      const { rawIds = false, ...build } = options;
      return this.#decoded.spirv(kernel, rawIds, build);
    }
    findCode(query, options) { return this.#decoded.findCode(query, options); }
    step(kernel, options = {}) {
      const { sources = {}, ...build } = options;
      return this.#decoded.step(kernel, sources, build);
    }
    analyze(kernel, options) { return this.#decoded.analyze(kernel, options); }
    async profile(source, options) {
      // A closed document reads nothing.
      void this.#decoded;
      const before = options?.before === undefined ? undefined : await readerOf(options.before);
      const profile = await readerOf(source);
      return this.#decoded.profile(profile, before);
    }
    diff(base, everything = false) { return this.#decoded.diff(base.#decoded, everything); }
    toText() { return this.#decoded.toText(); }
    toJson() { return this.#decoded.toJson(); }
    get closed() { return this.#opened === null; }
    free() {
      const opened = this.#opened;
      this.#opened = null;
      opened?.free();
    }
    [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() { this.free(); }
  };
}

/** Reads a profile in pieces: a large one is never in memory as a whole. Several files are one profile. */
async function readerOf(source) {
  const reader = new ProfileReader();
  try {
    for (const file of Array.isArray(source) ? source : [source]) {
      // The name may state the device: `metrics_1.csv`.
      reader.nextFile(typeof file?.name === "string" ? file.name : "");
      if (file instanceof Blob) {
        for (let at = 0; at < file.size; at += PIECE) {
          reader.push(new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer()));
        }
      } else {
        const bytes = viewOf(file);
        for (let at = 0; at < bytes.length; at += PIECE) reader.push(bytes.subarray(at, at + PIECE));
      }
    }
  } catch (error) {
    reader.free();
    throw error;
  }
  return reader;
}

/** Copies the bytes: the decoder reads from them as long as the document is open. */
async function bytesOf(source) {
  if (source instanceof Blob) return new Uint8Array(await source.arrayBuffer());
  return viewOf(source).slice();
}

function viewOf(source) {
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (ArrayBuffer.isView(source)) {
    return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  }
  throw new TypeError("expected a Blob, an ArrayBuffer or a typed array");
}
