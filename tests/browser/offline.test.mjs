// The page offline, after one visit, and across a new release.

import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { DIST, atEnd, axe, closePage, contextOf, dropFile, expectRequests, load, openPage, screenshot, test } from "./harness.mjs";
import { serve } from "./server.mjs";

const sample = path.join(import.meta.dirname, "../../www/samples/vecadd.bmg.zebin");
const treeOf = (page) => page.getByRole("heading", { name: "Verdict" });

/** Waits until the release is cached. */
const kept = (page) => page.evaluate(async () => { await navigator.serviceWorker.ready; });

/** A copy of the release folder that can be changed. */
async function release() {
  const root = await mkdtemp(path.join(os.tmpdir(), "zeview-release-"));
  await cp(DIST, root, { recursive: true });
  const server = await serve(root, { prefix: "/docs/zeview/", changing: true });
  atEnd(async () => {
    await server.close();
    await rm(root, { recursive: true });
  });
  return { root, server };
}

/** Turns the folder into a new release with a different title. */
async function change(root) {
  const page = path.join(root, "index.html");
  const html = await readFile(page, "utf8");
  await writeFile(page, html.replace("<title>zeview</title>", "<title>zeview 2</title>"));
  const worker = path.join(root, "service_worker.js");
  const script = await readFile(worker, "utf8");
  assert.match(script, /version: "[0-9a-f]{12}"/);
  await writeFile(worker, script.replace(/version: "[0-9a-f]{12}"/, 'version: "000000000002"'));
}

test("the page works offline after one visit", async () => {
  const { server } = await release();
  const page = await openPage({ server, offline: true });
  expectRequests(page, /\/docs\/zeview\//);
  await kept(page);
  await server.close();
  await contextOf(page).setOffline(true);
  await load(page, () => page.reload(), { until: "started" });
  await dropFile(page, sample);
  await treeOf(page).waitFor();
  await load(page, () => page.goto(`${server.url}?url=samples/spill.dg2.zebin#panel=kernels`), { until: "started" });
  await page.getByRole("tab", { name: /Kernels/, selected: true }).waitFor();
  await page.getByRole("gridcell", { name: "hugeprivate" }).first().waitFor();
  assert.deepEqual(await closePage(page), []);
});

test("a new release replaces all files at once, when the user confirms", async () => {
  const { root, server } = await release();
  const page = await openPage({ server, offline: true });
  expectRequests(page, /\/docs\/zeview\//);
  await kept(page);
  await change(root);
  // The next visit still uses the old release and announces the new one.
  await load(page, () => page.reload(), { until: "started" });
  assert.equal(await page.title(), "zeview");
  const bar = page.getByRole("status").filter({ hasText: "A new version of zeview is ready." });
  await bar.waitFor();
  await dropFile(page, sample);
  await treeOf(page).waitFor();
  await axe(page);
  await screenshot(page, "new-version");
  await bar.getByRole("button", { name: "Reload" }).click();
  await page.waitForFunction(() => document.title.startsWith("zeview 2"));
  const caches = await page.evaluate(async () => (await window.caches.keys()).filter((name) => name.startsWith("zeview-")));
  assert.deepEqual(caches, ["zeview-000000000002"]);
  // The new release also works offline.
  await server.close();
  await contextOf(page).setOffline(true);
  await load(page, () => page.reload(), { until: "started" });
  await dropFile(page, sample);
  await treeOf(page).waitFor();
  assert.deepEqual(await closePage(page), []);
});

test("an embedded page is always fetched", async () => {
  const { root, server } = await release();
  const page = await openPage({ server, offline: true });
  expectRequests(page, /\/docs\/zeview\//);
  await kept(page);
  await change(root);
  await load(page, () => page.goto(`${server.url}?embed=1&url=samples/vecadd.bmg.zebin`), { until: "started" });
  await treeOf(page).waitFor();
  await page.waitForFunction(() => document.title.includes("zeview 2") || document.title.includes("vecadd"));
  const html = server.log.filter((request) => request === "/docs/zeview/");
  assert.ok(html.length >= 2, "the page was fetched again");
  assert.deepEqual(await closePage(page), []);
});
