// Starts zeview's decoder in the first of the ways that works here, and carries messages
// to and from it (src/worker/protocol.rs). The page and www/embed.js both use it.
//
// A decoder that is started from memory costs no request: a second file, and a decoder that
// has crashed, find one without a network.

/** The ways, the best first. Each gives something like a worker, or throws. */
export const WAYS = [fromMemory, fromAddress, fromBlob, inPage];

const BASE = new URL("./", import.meta.url).href;

/** The decoders: of zebins, and of all formats (src/bin/worker.rs, full.rs). */
const USUAL = "worker";
const FULL = "full";

/** What only some files need (src/worker/module.rs): scripts beside the decoder's own. */
const PARTS = ["rare", "deep"];

/** Fetches and compiles a decoder, so that starting one later takes no time. */
export function prepare(name = USUAL) {
  return Promise.all([source(name), program(name)]);
}

/** The same for what only some files need: when everything else is there. */
export async function prepareParts() {
  await Promise.all([prepare(FULL), ...PARTS.map(program)]);
}

const kept = new Map();

/** What `make` resolves to, made once; after a failure the next attempt begins anew. */
function once(key, make) {
  if (!kept.has(key)) {
    const made = make();
    made.catch(() => kept.delete(key)); // Whoever awaits it hears of it.
    kept.set(key, made);
  }
  return kept.get(key);
}

async function get(name) {
  const response = await fetch(BASE + name);
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  return response;
}

function text(name) {
  return once(`${name}.js`, async () => (await get(`${name}.js`)).text());
}

/** The compiled program. */
function program(name) {
  return once(name, async () => {
    const response = await get(`${name}_bg.wasm`);
    // Compiled while it arrives, if the host says what it is.
    return response.headers.get("Content-Type") === "application/wasm"
      ? WebAssembly.compileStreaming(response)
      : WebAssembly.compile(await response.arrayBuffer());
  });
}

/**
 * A worker whose script is a blob, and which is sent the compiled program: all decoders share
 * the code that the browser has made of it.
 */
async function fromMemory(decoder) {
  const [script, compiled] = await prepare(decoder);
  const worker = new Worker(blobAddress(script), { type: "module", name: "zeview" });
  const { port1: line, port2: line2 } = new MessageChannel();
  line.onmessage = async ({ data: name }) => {
    try {
      line.postMessage({ name, program: await program(name) });
    } catch (error) {
      line.postMessage({ name, error: String(error) });
    }
  };
  worker.postMessage({ program: compiled, line: line2 }, [line2]);
  return worker;
}

/** One script of all, because a worker from a blob can import nothing. */
async function source(name) {
  const [decoder, ...parts] = await Promise.all([name, ...PARTS].map(text));
  const entries = parts.map((part, i) => `${PARTS[i]}: () => ${asFunction(part)}`);
  return `${decoder}\n(${begin})(${initOf(decoder)}, { ${entries.join(",\n")} });`;
}

/** The name of what a script by wasm-bindgen exports as default. */
function initOf(script) {
  const name = /([\w$]+) as default\b/.exec(script)?.[1];
  if (!name) throw new Error("a script has no default export");
  return name;
}

/** An expression with the exports of a script by wasm-bindgen. */
function asFunction(script) {
  const names = [...script.matchAll(/^export (?:class|function) (\w+)/gm)].map((match) => match[1]);
  const body = script.replace(/^export \{.*\};?$/gm, "").replace(/^export /gm, "");
  return `(() => {${body}\nreturn { ${names.join(", ")}, default: ${initOf(script)} };\n})()`;
}

/** Runs in the worker: starts it when its program has come, and the parts when it asks. */
function begin(init, parts) {
  const waiting = new Map();
  let line = null;
  self.zeviewPart = async (name) => {
    const exports = parts[name]();
    const program = await new Promise((resolve, reject) => {
      waiting.set(name, { resolve, reject });
      line.postMessage(name);
    });
    await exports.default({ module_or_path: program });
    return exports;
  };
  self.addEventListener("message", ({ data }) => {
    line = data.line;
    line.onmessage = ({ data: { name, program, error } }) => {
      if (program) waiting.get(name).resolve(program);
      else waiting.get(name).reject(new Error(error));
    };
    init({ module_or_path: data.program }).catch((error) => setTimeout(() => { throw error; }));
  }, { once: true });
}

/** For hosts whose policy refuses workers from blobs. */
function fromAddress(decoder) {
  return new Worker(`${BASE}${decoder}_loader.js`, { type: "module", name: "zeview" });
}

/**
 * A sandboxed frame has an opaque origin: it refuses addresses, and module workers from
 * blobs too, but a classic worker from a blob may import the module.
 */
function fromBlob(decoder) {
  const address = JSON.stringify(`${BASE}${decoder}_loader.js`);
  return new Worker(blobAddress(`import(${address}).catch(${rethrow});`), { name: "zeview" });
}

/** Where no workers are allowed at all. */
async function inPage(decoder) {
  const exports = await import(`./${decoder}.js`);
  await exports.default();
  return exports.startInPage();
}

/** Thrown outside of a promise, a failure becomes the worker's `error` event. */
function rethrow(error) {
  setTimeout(() => { throw error; });
}

function blobAddress(script) {
  return URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
}

/**
 * Starts a decoder: that of zebins, or by its name another one.
 *
 * `tell(message)` gets what it posts, `Ready` first; nothing may be posted before that.
 * `fail(text)` is called when it cannot be started, or has died of something that it could
 * not report itself.
 */
export function start(tell, fail, decoder = USUAL, ways = WAYS) {
  let worker = null;
  let closed = false;
  const refused = [];
  (async () => {
    for (const way of ways) {
      try {
        worker = await ready(() => way(decoder), (message) => closed || tell(message), (text) => closed || fail(text));
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
