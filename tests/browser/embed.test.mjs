// Embedding in other pages: the decoder alone, and the page in a frame.

import assert from "node:assert/strict";
import { expectRequests, journey } from "./harness.mjs";

journey("the example for embedders passes its own test", { address: "embed.html#test", other: true }, async (page) => {
  await page.locator("html[data-result]").waitFor();
  assert.equal(await page.locator("html").getAttribute("data-result"), "passed");
});

/** A page of somebody else with a frame in it. */
function framed(attributes) {
  return async (page) => {
    await page.route("**/documentation.html", (route) =>
      route.fulfill({ contentType: "text/html", body: `<!doctype html><title>d</title><iframe ${attributes}></iframe>` }));
  };
}

journey("it passes in a sandboxed frame too", {
  address: "documentation.html",
  other: true,
  before: framed(`sandbox="allow-scripts" src="./embed.html#test"`),
}, async (page) => {
  const root = page.frameLocator("iframe").locator("html[data-result]");
  await root.waitFor();
  assert.equal(await root.getAttribute("data-result"), "passed");
});

journey("the page in a sandboxed frame shows a file by its link", {
  address: "documentation.html",
  other: true,
  before: framed(`sandbox="allow-scripts" width="1000" height="600" src="./?embed=1&url=samples/vecadd.bmg.zebin"`),
}, async (page) => {
  // The frame is a page of its own, which may load longer than the one around it.
  expectRequests(page, /\/zeview\//);
  await page.frameLocator("iframe").getByRole("treeitem", { name: "ELF header" }).waitFor();
});
