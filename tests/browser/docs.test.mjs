// The documentation site, as `cargo xtask docs` builds it beside the page.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { DIST, eventually, expectRequests, journey, violations } from "./harness.mjs";

const SITE = path.join(DIST, "docs");
const NAMES = readdirSync(SITE, { recursive: true })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => name.endsWith(".html") && name !== "toc.html")
  .sort();
const WITH_VIEWS = NAMES.filter((name) => /<zeview-embed src|<iframe class="zeview"/.test(readFileSync(path.join(SITE, name), "utf8")));

assert.ok(NAMES.length > 15 && WITH_VIEWS.length > 5, "the documentation is built by cargo xtask docs");

/** A page of the site, which records what its embeds report. */
const site = (name, options = {}) => ({
  ...options,
  address: `docs/${name}`,
  other: true,
  async before(page) {
    // Embeds load while the page is read.
    expectRequests(page, /\/zeview\//);
    await page.addInitScript(() => {
      window.reports = [];
      for (const type of ["loaded", "error"])
        addEventListener(`zeview-${type}`, ({ detail }) => reports.push({ type, ...detail }), true);
    });
  },
});

/** Pages of a journey: each takes seconds on a busy machine. */
const AT_ONCE = 14;

for (const [theme, width] of [["light", 1440], ["dark", 1440], ["light", 400], ["dark", 400]]) {
  for (let first = 0; first < NAMES.length; first += AT_ONCE) {
    const names = NAMES.slice(first, first + AT_ONCE);
    const which = `${first + 1} to ${first + names.length} of ${NAMES.length}`;
    journey(`the documentation is accessible and fits into ${width} px, ${theme}: ${which}`, site("index.html", { theme, width }), async (page) => {
      const start = new URL("./", page.url());
      const found = new Map();
      for (const name of names) {
        await page.goto(new URL(name, start).href, { waitUntil: "load" });
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(wider <= 0, `${name} is ${wider} pixels wider than the window`);
        const missing = await page.evaluate(() => [...document.images].filter((image) => image.naturalWidth === 0).map((image) => image.src));
        assert.deepEqual(missing, [], name);
        assert.doesNotMatch(await page.locator("main").innerText(), /\{\{#|@@/, `${name} has a directive that was not replaced`);
        // The page in the views has journeys of its own.
        for (const line of await violations(page, { iframes: false })) found.set(line, [...(found.get(line) ?? []), name]);
      }
      // What all pages share is listed once.
      const lines = [...found].map(([line, names]) => `${line} (${names[0]}${names.length > 1 ? ` and ${names.length - 1} more` : ""})`);
      assert.equal(lines.join("\n"), "", "axe-core reports violations");
    });
  }
}

for (const name of WITH_VIEWS) {
  journey(`the views in docs/${name} load`, site(name), async (page) => {
    const embeds = page.locator("zeview-embed");
    const count = await embeds.count();
    for (let at = 0; at < count; at += 1) {
      const embed = embeds.nth(at);
      await embed.scrollIntoViewIfNeeded();
      if ((await embed.getAttribute("loading")) === "click") await embed.getByRole("button", { name: "Show in zeview" }).click();
      // Embeds load before they are in view.
      await eventually(() => page.evaluate((least) => reports.filter(({ type }) => type === "loaded").length >= least, at + 1), true);
      const panel = await embed.getAttribute("panel");
      const tab = embed.frameLocator("iframe").getByRole("tab", { name: new RegExp(panel, "i"), selected: true });
      await tab.waitFor();
    }
    for (const frame of await page.locator("iframe.zeview").all()) {
      await frame.scrollIntoViewIfNeeded();
      const panel = new URL(await frame.getAttribute("src"), page.url()).hash.match(/panel=(\w+)/)[1];
      await frame.contentFrame().getByRole("tab", { name: new RegExp(`^${panel}`, "i"), selected: true }).waitFor();
    }
    const errors = await page.evaluate(() => reports.filter(({ type }) => type === "error"));
    assert.deepEqual(errors, [], "a view shows an error");
  });
}

journey("views do not scroll the page around them", site("guides/embed.html", { width: 420, height: 900 }), async (page) => {
  await eventually(() => page.evaluate(() => reports.filter(({ type }) => type === "loaded").length > 0), true);
  const tab = page.locator("zeview-embed").first().frameLocator("iframe").getByRole("tablist", { name: "Panels" }).getByRole("tab", { selected: true });
  await tab.first().waitFor();
  assert.equal(await page.evaluate(() => scrollY), 0);
});

journey("the sidebar is opened and closed with the keyboard", site("help.html", { width: 1440 }), async (page) => {
  const button = page.getByRole("banner").getByRole("button", { name: "Toggle Table of Contents" });
  const contents = page.getByRole("navigation", { name: "Table of contents" });
  for (const isVisible of [false, true]) {
    await button.focus();
    await page.keyboard.press(isVisible ? "Space" : "Enter");
    await eventually(() => button.getAttribute("aria-expanded"), String(isVisible));
    await contents.waitFor({ state: isVisible ? "visible" : "hidden" });
  }
});

journey("views follow the theme of the documentation", site("index.html"), async (page) => {
  const embed = page.locator("zeview-embed").first();
  await embed.scrollIntoViewIfNeeded();
  const html = embed.frameLocator("iframe").locator("html");
  await eventually(() => html.getAttribute("data-theme"), "light");
  await page.evaluate(() => document.documentElement.classList.replace("light", "navy"));
  await eventually(() => html.getAttribute("data-theme"), "dark");
});
