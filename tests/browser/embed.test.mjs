// Embedding in other pages: the decoder alone, and the page in a frame.

import assert from "node:assert/strict";
import { expectRequests, journey } from "./harness.mjs";

journey("the embedding example passes its own test", { address: "embed.html#test", other: true }, async (page) => {
  await page.locator("html[data-result]").waitFor();
  assert.equal(await page.locator("html").getAttribute("data-result"), "passed");
});

/** A page of another site with a frame. */
function framed(attributes) {
  return async (page) => {
    await page.route("**/documentation.html", (route) =>
      route.fulfill({ contentType: "text/html", body: `<!doctype html><title>d</title><iframe ${attributes}></iframe>` }));
  };
}

journey("the embedding example passes in a sandboxed frame", {
  address: "documentation.html",
  other: true,
  before: framed(`sandbox="allow-scripts" src="./embed.html#test"`),
}, async (page) => {
  const root = page.frameLocator("iframe").locator("html[data-result]");
  await root.waitFor();
  assert.equal(await root.getAttribute("data-result"), "passed");
});

journey("a sandboxed frame opens a file by link", {
  address: "documentation.html",
  other: true,
  before: framed(`sandbox="allow-scripts" width="1000" height="600" src="./?embed=1&url=samples/vecadd.bmg.zebin"`),
}, async (page) => {
  // The frame may load longer than its parent page.
  expectRequests(page, /\/zeview\//);
  await page.frameLocator("iframe").getByRole("heading", { name: "Verdict" }).waitFor();
});

journey("an embedded view leads to the whole page, at the width of a documentation", {
  address: "documentation.html",
  other: true,
  before: framed(`width="858" height="500" src="./?embed=1&url=samples/spill.dg2.zebin&panes=none#panel=kernels"`),
}, async (page) => {
  expectRequests(page, /\/zeview\//);
  const frame = page.frameLocator("iframe");
  await frame.getByRole("tab", { name: /Kernels/, selected: true }).waitFor();
  const link = frame.getByRole("link", { name: "Open in zeview" });
  // Clicks arrive at the link.
  await link.click({ trial: true });
  assert.match(await link.getAttribute("href"), /url=/);
});
