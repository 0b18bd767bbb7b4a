// The decoder in a thread of the extension host, where it reads ranges of files synchronously. The
// thread has the parts of a browser's worker that the decoder uses (src/worker/host of the library).

import { fstatSync, openSync, readSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import init from "zeview-decoder";
import type { FileInMessage } from "./platform.ts";

interface Bytes {
  read(start: number, end: number): Uint8Array;
}

/** A file on the disk, opened at the first read. The thread's end closes it. */
class FileBytes implements Bytes {
  #fd: number | undefined;

  constructor(readonly path: string, readonly size: number, readonly modified: number) {}

  read(start: number, end: number): Uint8Array {
    this.#fd ??= openSync(this.path, "r");
    const { size, mtimeMs } = fstatSync(this.#fd);
    if (size !== this.size || mtimeMs !== this.modified) {
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
  constructor(readonly bytes: Uint8Array) {}

  read(start: number, end: number): Uint8Array {
    return this.bytes.subarray(start, end);
  }
}

/** Takes the place of `Blob`. */
class Part {
  constructor(readonly bytes: Bytes, readonly start: number, readonly end: number) {}

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
  return new Part(new FileBytes(file.path, file.size, file.modified), 0, file.size);
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
