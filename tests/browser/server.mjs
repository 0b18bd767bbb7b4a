// A static file server for the tests, with content types, compression, no caching, and a log.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".md": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
};

/** File types that are sent compressed. */
const COMPRESSED = [".css", ".html", ".js", ".wasm"];

/**
 * Serves `root` under `prefix` on a free local port.
 *
 * @param {string} root a folder
 * @param {object} [options]
 * @param {string} [options.prefix] the URL path of `root`, with slashes at both ends
 * @param {Record<string, string>} [options.headers] sent with every response
 * @param {boolean} [options.changing] reread files for every request
 * @returns {Promise<{url: string, origin: string, log: string[], close: () => Promise<void>}>}
 *   `log` contains the path of every request.
 */
export async function serve(root, { prefix = "/", headers = {}, changing = false } = {}) {
  const log = [];
  const known = new Map();
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    log.push(pathname);
    if (changing || !known.has(pathname)) known.set(pathname, answerFor(root, prefix, pathname));
    const answer = await known.get(pathname);
    response.writeHead(answer.status, {
      ...answer.headers,
      "Cache-Control": "no-store",
      "Content-Length": answer.body.length,
      "X-Content-Type-Options": "nosniff",
      // As static hosts do; sandboxed frames require it.
      "Access-Control-Allow-Origin": "*",
      ...headers,
    });
    response.end(request.method === "HEAD" ? undefined : answer.body);
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    url: origin + prefix,
    origin,
    log,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

async function answerFor(root, prefix, pathname) {
  const file = fileFor(root, prefix, pathname);
  try {
    const extension = path.extname(file).toLowerCase();
    const headers = { "Content-Type": TYPES[extension] ?? "application/octet-stream" };
    const body = await readFile(file);
    if (!COMPRESSED.includes(extension)) return { status: 200, headers, body };
    headers["Content-Encoding"] = "gzip";
    return { status: 200, headers, body: await promisify(gzip)(body) };
  } catch {
    return { status: 404, headers: { "Content-Type": TYPES[".txt"] }, body: Buffer.from("not found") };
  }
}

function fileFor(root, prefix, pathname) {
  if (!pathname.startsWith(prefix)) return "";
  let inside = "";
  try {
    inside = decodeURIComponent(pathname.slice(prefix.length));
  } catch {
    return "";
  }
  const file = path.join(root, inside === "" || inside.endsWith("/") ? `${inside}index.html` : inside);
  // `..` must not leave the folder.
  return file.startsWith(path.resolve(root) + path.sep) ? file : "";
}
