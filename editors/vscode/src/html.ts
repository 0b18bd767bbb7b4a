// The page's HTML as the document of a webview.

import { htmlText } from "./markup.ts";

/** Addresses of the webview. */
export interface Addresses {
  /** Resolves a path in the extension's folder. */
  resolve(path: string): string;
  /** The source of local files for the policy. */
  readonly source: string;
  readonly nonce: string;
}

/**
 * Rewrites `page/index.html`: addresses in the webview, a policy that allows only the extension's
 * own files, and the script that takes the place of the embedding page.
 *
 * @param hasDecoder whether the decoder runs beside the extension
 */
export function html(page: string, { resolve, source, nonce }: Addresses, hasDecoder: boolean): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' ${source} 'wasm-unsafe-eval'`,
    `style-src ${source}`,
    `font-src ${source}`,
    `connect-src ${source}`,
    "img-src data: blob:",
    hasDecoder ? "worker-src 'none'" : "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const decoder = hasDecoder ? ` data-decoder="${resolve("media/decoder.js")}"` : "";
  return page
    .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, `<meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .replace(/ *<link rel="(icon|manifest|modulepreload)"[^>]*>\n/g, "")
    .replace(/(href|src)="\.\/([^"]*)"/g, (_, name, path) => `${name}="${resolve(`page/${path}`)}"`)
    .replace("<script src=", `<link rel="stylesheet" href="${resolve("media/editor.css")}">
    <script nonce="${nonce}" src="${resolve("media/host.js")}"${decoder}></script>
    <script nonce="${nonce}" src=`);
}

/** A document with a message, without scripts. */
export function failure(title: string, reason: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'">
    <title>${htmlText(title)}</title>
  </head>
  <body>
    <h1>${htmlText(title)}</h1>
    <p>${htmlText(reason)}</p>
  </body>
</html>`;
}
