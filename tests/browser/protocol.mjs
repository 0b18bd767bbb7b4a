// Requests of the page to its decoder, by name.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { keepWorkers } from "./harness.mjs";

/** The variants of `Request`, in order: messages contain the index. */
const REQUESTS = (() => {
  const source = readFileSync(path.join(import.meta.dirname, "../../src/worker/protocol/request.rs"), "utf8");
  const [, variants] = source.match(/^pub enum Request \{$(.*?)^\}$/ms);
  return [...variants.matchAll(/^ {4}(\w+)/gm)].map(([, name]) => name);
})();

/**
 * Records the name of each posted request in `requests`. Requests whose names are in `held` are posted
 * after this many milliseconds.
 */
export async function watchRequests(page, held = {}) {
  for (const name of Object.keys(held)) assert.ok(REQUESTS.includes(name), `there is no request ${name}`);
  await keepWorkers(page);
  await page.addInitScript(([names, held]) => {
    globalThis.requests = [];
    /** The offset after a variable-length number. */
    const skip = (bytes, at) => {
      while (bytes[at] & 0x80) at += 1;
      return at + 1;
    };
    globalThis.Worker = class extends Worker {
      postMessage(...message) {
        const bytes = message[0]?.data ?? message[0];
        let name = null;
        if (bytes instanceof Uint8Array) {
          const about = skip(bytes, 0);
          const request = bytes[about] === 0 ? about + 1 : skip(bytes, about + 1);
          name = names[bytes[request]] ?? `request ${bytes[request]}`;
          globalThis.requests.push(name);
        }
        if (held[name]) setTimeout(() => super.postMessage(...message), held[name]);
        else super.postMessage(...message);
      }
    };
  }, [REQUESTS, held]);
}
