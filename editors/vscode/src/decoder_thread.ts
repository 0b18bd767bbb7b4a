// The decoder in a thread of the extension host, where it reads ranges of files synchronously. The
// thread has the parts of a browser's worker that the decoder uses (src/worker/host of the library).

import { fstatSync, openSync, readSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import init from "zeview-decoder";
import type { FileInMessage, FileOnDisk } from "./platform.ts";

interface Bytes {
  read(start: number, end: number): Uint8Array;
}

/** A file on the disk, opened at the first read. The thread's end closes it. */
class FileBytes implements Bytes {
  readonly file: FileOnDisk;
  #fd: number | undefined;

  constructor(file: FileOnDisk) {
    this.file = file;
  }

  read(start: number, end: number): Uint8Array {
    this.#fd ??= openSync(this.file.path, "r");
    const { size, mtimeMs } = fstatSync(this.#fd);
    if (size !== this.file.size || mtimeMs !== this.file.modified) {
      throw new DOMException("the file was changed", "NotReadableError");
    }
    const bytes = new Uint8Array(end - start);
    let at = 0;
    while (at < bytes.length) {
      const count = readSync(this.#fd, bytes, at, bytes.length - at, start + at);
      if (count === 0) break;
      at += count;
    }
    return bytes.subarray(0, at);
  }
}

class ArrayBytes implements Bytes {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  read(start: number, end: number): Uint8Array {
    return this.bytes.subarray(start, end);
  }
}

/** A file that is not open. */
class NoBytes implements Bytes {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }

  read(): Uint8Array {
    throw new DOMException(this.reason, "NotReadableError");
  }
}

/** Takes the place of `Blob`. */
class Part {
  readonly bytes: Bytes;
  readonly start: number;
  readonly end: number;

  constructor(bytes: Bytes, start: number, end: number) {
    [this.bytes, this.start, this.end] = [bytes, start, end];
  }

  get size(): number {
    return this.end - this.start;
  }

  slice(start: number, end: number): Part {
    const within = (at: number) => Math.min(this.start + at, this.end);
    return new Part(this.bytes, within(start), within(end));
  }

  read(): ArrayBuffer {
    try {
      const bytes = this.bytes.read(this.start, this.end);
      return bytes.slice().buffer as ArrayBuffer;
    } catch (error) {
      throw explained(error);
    }
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.read();
  }
}

/** The errors of browsers for which the decoder has words. */
function explained(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return new DOMException("the file is gone", "NotFoundError");
  if (code === "EACCES" || code === "EPERM") return new Error("permission to read the file is denied");
  return error;
}

function part(file: FileInMessage): Part {
  if ("bytes" in file) return new Part(new ArrayBytes(file.bytes), 0, file.bytes.length);
  const bytes = "error" in file ? new NoBytes(file.error) : new FileBytes(file);
  return new Part(bytes, file.start, file.end);
}

const port = parentPort!;
const globals: Record<string, unknown> = {
  Blob: Part,
  FileReaderSync: class {
    readAsArrayBuffer(part: Part): ArrayBuffer {
      return part.read();
    }
  },
  DedicatedWorkerGlobalScope: class {
    static [Symbol.hasInstance](value: unknown): boolean {
      return value === globalThis;
    }
  },
  postMessage: (message: unknown, transfer: ArrayBuffer[]) => port.postMessage(message, transfer),
  addEventListener: (type: string, listen: (event: { data: unknown }) => void) => {
    if (type !== "message") return;
    port.on("message", ({ file, ...message }) => {
      listen({ data: file ? { ...message, file: part(file) } : message });
    });
  },
};
for (const [name, value] of Object.entries(globals)) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

// A failure ends the thread, which the page reports.
init({ module_or_path: workerData });
