// Caches all files of one release for offline use. A new release waits until the user accepts it
// (boot.js), so that files of two releases are never mixed. Embedded pages are always fetched.

// `cargo xtask dist` inserts the version and the files of the release.
const RELEASE = { version: "", files: [] };

const PREFIX = "zeview-";
const CACHE = PREFIX + RELEASE.version;
const PAGE = new URL("./", self.location).href;

self.addEventListener("install", (event) => {
  // Bypasses the HTTP cache, which may contain an older HTML file.
  const requests = RELEASE.files.map((name) => new Request(PAGE + name, { cache: "no-cache" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(requests)));
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    const names = await caches.keys();
    const old = names.filter((name) => name.startsWith(PREFIX) && name !== CACHE);
    await Promise.all(old.map((name) => caches.delete(name)));
    await self.clients.claim();
  })());
});

self.addEventListener("message", ({ data }) => {
  if (data === "take") self.skipWaiting();
});

/** The file of the release that a request refers to, if any. */
function fileOf({ method, mode, url }) {
  const { origin, pathname, searchParams } = new URL(url);
  const address = origin + pathname;
  if (method !== "GET" || !address.startsWith(PAGE)) return null;
  const name = address.slice(PAGE.length);
  if (mode === "navigate") {
    const isPage = name === "" || name === "index.html";
    return isPage && !searchParams.has("embed") ? "" : null;
  }
  return RELEASE.files.includes(name) ? name : null;
}

self.addEventListener("fetch", (event) => {
  const name = fileOf(event.request);
  if (name === null) return;
  event.respondWith((async () => {
    const cache = await caches.open(CACHE);
    return (await cache.match(PAGE + name)) ?? fetch(event.request);
  })());
});
