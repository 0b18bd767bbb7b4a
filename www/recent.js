// Recently opened files and their file handles, stored in IndexedDB. Where that is unavailable
// (sandboxed frames, some private windows), nothing is stored.

/** Maximum number of files. */
const MOST = 10;
const STORE = "recent";

function open() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("zeview", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "id", autoIncrement: true });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Runs `act` on the store; resolves with its result when the transaction is complete. */
async function run(mode, act) {
  const database = await open();
  try {
    const transaction = database.transaction(STORE, mode);
    const done = new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
    const request = act(transaction.objectStore(STORE));
    await done;
    return request?.result;
  } finally {
    database.close();
  }
}

/** The files, newest first: `id`, `name`, `size`, `handle`, and `at`, the time of opening. */
export async function list() {
  const files = await run("readonly", (store) => store.getAll());
  files.sort((a, b) => b.when - a.when || b.id - a.id);
  const words = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  return files.map((file) => ({ ...file, at: words.format(file.when) }));
}

/** Records that a file was opened; replaces a handle of the same file. */
export async function keep(handle, name, size) {
  const files = await list();
  const same = await Promise.all(files.map((file) => file.handle.isSameEntry(handle)));
  const others = files.filter((_, i) => !same[i]).slice(0, MOST - 1);
  await run("readwrite", (store) => {
    for (const file of files) if (!others.includes(file)) store.delete(file.id);
    store.add({ name, size, handle, when: Date.now() });
  });
}

/** Removes a file; without an id, all files. */
export async function forget(id) {
  await run("readwrite", (store) => { id ? store.delete(id) : store.clear(); });
}

/** The handle of a file, if the user grants access; call it in a click handler. */
export async function take(id) {
  const file = (await list()).find((file) => file.id === id);
  const mode = { mode: "read" };
  const state = await file?.handle.queryPermission(mode);
  const allowed = state === "prompt" ? await file.handle.requestPermission(mode) : state;
  return allowed === "granted" ? file.handle : null;
}
