// Starts zeview's decoder in the first of the ways that works here, and carries messages
// to and from it (src/worker/protocol/mod.rs). The page and www/embed.js both use it.
//
// A decoder that is started from memory costs no request: a second file, and a decoder that
// has crashed, find one without a network.

// A page in one file has the files of the decoder in itself.
const inside = globalThis.zeviewFiles ?? {};
const isSingle = "./worker.js" in inside;
const BASE = isSingle ? "" : new URL("./", import.meta.url).href;

// Where the browser has Trusted Types, this is the only way from text to a worker.
const policy = globalThis.trustedTypes?.createPolicy("zeview-decoder", { createScriptURL: (address) => address });

/** The ways, the best first. Each gives something like a worker, or throws. */
export const WAYS = isSingle ? [fromMemory, fromWorker, inPage] : [fromMemory, fromAddress, fromBlob, inPage];

function addressOf(name) {
  return inside[`./${name}`] ?? BASE + name;
}

let prepared = null;

/**
 * Fetches and compiles the decoder, so that starting one later takes no time: once; after a
 * failure the next attempt begins anew.
 */
export function prepare() {
  prepared ??= Promise.all([script(), program()]).catch((error) => {
    prepared = null;
    throw error;
  });
  return prepared;
}

async function get(name) {
  const response = await fetch(addressOf(name));
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  return response;
}

/** The script that wasm-bindgen has made. */
async function script() {
  return (await get("worker.js")).text();
}

/** The compiled program. */
async function program() {
  const response = await get("worker_bg.wasm");
  // Compiled while it arrives, if the host says what it is.
  return response.headers.get("Content-Type") === "application/wasm"
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}

/**
 * A worker whose script is a blob, and which is sent the compiled program: all decoders share
 * the code that the browser has made of it.
 */
async function fromMemory() {
  const [script, program] = await prepare();
  const worker = startWorker(blobAddress(`${script}\n(${begin})();`), { type: "module" });
  worker.postMessage(program);
  return worker;
}

/** Runs in the worker, in the script itself: starts it when its program has come. */
function begin() {
  self.onmessage = ({ data: program }) => {
    self.onmessage = null;
    // This very script, which is not loaded again: its exports are to be had no other way.
    import(import.meta.url)
      .then(({ default: init }) => init({ module_or_path: program }))
      .catch((error) => setTimeout(() => { throw error; }));
  };
}

/** For hosts whose policy refuses workers from blobs. */
function fromAddress() {
  return startWorker(addressOf("worker_loader.js"), { type: "module" });
}

/**
 * A sandboxed frame has an opaque origin: it refuses addresses, and module workers from
 * blobs too, but a classic worker from a blob may import the module.
 */
function fromBlob() {
  const address = JSON.stringify(addressOf("worker_loader.js"));
  return startWorker(blobAddress(`import(${address}).catch(${rethrow});`));
}

/**
 * A page on a disk has an opaque origin too: a classic worker from a blob may import a module that
 * it has made a blob of itself, where the policy lets it.
 */
async function fromWorker() {
  const [script, program] = await prepare();
  const worker = startWorker(blobAddress(`(${beginOutside})();`));
  worker.postMessage({ script, program });
  return worker;
}

/** Runs in the worker. */
function beginOutside() {
  self.onmessage = ({ data: { script, program } }) => {
    self.onmessage = null;
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    import(address)
      .then(({ default: init }) => init({ module_or_path: program }))
      .catch((error) => setTimeout(() => { throw error; }));
  };
}

/** Where no workers are allowed at all. */
async function inPage() {
  const exports = await import(addressOf("worker.js"));
  await exports.default({ module_or_path: addressOf("worker_bg.wasm") });
  return exports.startInPage();
}

/** Thrown outside of a promise, a failure becomes the worker's `error` event. */
function rethrow(error) {
  setTimeout(() => { throw error; });
}

function startWorker(address, options = {}) {
  return new Worker(policy?.createScriptURL(address) ?? address, { ...options, name: "zeview" });
}

function blobAddress(script) {
  return URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
}

/**
 * Starts a decoder.
 *
 * `tell(message)` gets what it posts, `Ready` first; nothing may be posted before that.
 * `fail(text)` is called when it cannot be started, or has died of something that it could
 * not report itself.
 */
export function start(tell, fail, ways = WAYS) {
  let worker = null;
  let closed = false;
  const refused = [];
  (async () => {
    for (const way of ways) {
      try {
        worker = await ready(way, (message) => closed || tell(message), (text) => closed || fail(text));
        if (closed) worker.terminate();
        return;
      } catch (error) {
        refused.push(`${way.name}: ${error.message ?? error}`);
        if (closed) return;
      }
    }
    console.warn("zeview: no decoder can be started.", refused.join("; "));
    fail(refused[0].replace(/^\w+: /, ""));
  })();
  return {
    post: (message) => worker.postMessage(message),
    close() {
      closed = true;
      worker?.terminate();
    },
  };
}

/** Resolves when the decoder says that it runs, rejects when it fails before that. */
async function ready(way, tell, fail) {
  const worker = await way();
  return new Promise((resolve, reject) => {
    let runs = false;
    worker.addEventListener("message", ({ data }) => {
      if (!runs) {
        runs = true;
        resolve(worker);
        // After whoever awaits this: the answer to `Ready` is a message.
        setTimeout(tell, 0, data);
      } else {
        tell(data);
      }
    });
    const broken = (event) => {
      event.preventDefault?.();
      const text = event.message || "The decoder could not be loaded.";
      if (runs) return fail(text);
      worker.terminate();
      reject(new Error(text));
    };
    worker.addEventListener("error", broken);
    worker.addEventListener("messageerror", broken);
  });
}
