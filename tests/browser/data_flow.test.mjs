// The data flow of a kernel in the Assembly panel.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { withCode } from "./generated.mjs";
import { axe, choose, dropBytes, dropFile, eventually, fixture, journey, screenshot, showCodeStart } from "./harness.mjs";
import { watchRequests } from "./protocol.mjs";

const SPILL = path.join(import.meta.dirname, "../../www/samples/spill.dg2.zebin");

const rows = (page) => page.getByRole("grid", { name: "Assembly" }).getByRole("row");
const figure = (page, name) => page.getByRole("group", { name: "Figures" }).getByRole("button", { name });
const dock = (page, name) => page.getByRole("region", { name, exact: true });
const LIVE = /live$/;

/** Shows what is known of a figure, unless it is shown. */
async function show(page, name, title) {
  await figure(page, name).waitFor();
  if (await dock(page, title).count() === 0) await figure(page, name).click();
  await dock(page, title).waitFor();
  return dock(page, title);
}

const code = (page) => page.getByRole("combobox", { name: "Code" });
const current = (page) => page.locator("#instructions [role=row][aria-selected=true]");
// Digits without a prefix; a letter for spills follows.
const offsetOf = async (row) => `0x${/[0-9a-f]+/.exec(await row.locator(".at").innerText())[0]}`;

async function open(page, section) {
  await dropFile(page, SPILL);
  await choose(page.getByRole("tab", { name: "Assembly", exact: true }));
  await rows(page).nth(1).waitFor();
  await code(page).selectOption({ label: section });
  await page.getByText(section === "spill" ? /^1.403 instructions/ : /^556 instructions/).waitFor();
  await figure(page, LIVE).waitFor();
}

journey("the table is not created again when its data flow arrives", { width: 1440, height: 900 }, async (page) => {
  await page.evaluate(() => {
    globalThis.tables = new Set();
    const look = () => globalThis.tables.add(document.querySelector("#instructions"));
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  });
  await dropFile(page, SPILL);
  await choose(page.getByRole("tab", { name: "Assembly", exact: true }));
  await page.locator("#instructions .live").first().waitFor();
  const count = await page.evaluate(() => globalThis.tables.delete(null) && globalThis.tables.size);
  assert.equal(count, 1);
});

journey("the costliest loop is shown at once, and one figure beside the code", { width: 1440, height: 900 }, async (page) => {
  await page.evaluate(() => {
    globalThis.first = Infinity;
    const look = () => {
      for (const row of document.querySelectorAll("#instructions [data-row]")) globalThis.first = Math.min(globalThis.first, Number(row.dataset.row));
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  });
  await dropFile(page, SPILL);
  await choose(page.getByRole("tab", { name: "Assembly", exact: true }));
  await page.locator("#instructions .flow-mark.hot").waitFor();
  // Rows around the visible ones follow.
  await page.locator("#instructions .live").nth(40).waitFor();
  assert.ok(await page.evaluate(() => globalThis.first) > 20);

  // Loops are beside the code; another figure takes their place, and the same one again hides it.
  await dock(page, "Loops").getByRole("table").waitFor();
  await figure(page, /waits$/).click();
  await dock(page, "Waits").locator("tr").nth(5).waitFor();
  assert.equal(await dock(page, "Loops").count(), 0);
  assert.equal(await figure(page, /waits$/).getAttribute("aria-pressed"), "true");
  // With all columns it is above the code.
  const narrow = await dock(page, "Waits").boundingBox();
  await dock(page, "Waits").getByRole("button", { name: "All columns" }).click();
  await eventually(() => dock(page, "Waits").boundingBox().then((box) => box.width), (width) => width > 2 * narrow.width);
  await axe(page);
  await figure(page, /waits$/).click();
  await eventually(() => dock(page, "Waits").count(), 0);
});

const withLateFlow = (page) => watchRequests(page, { DataFlow: 2000 });

journey("code above 32 KB is shown before its data flow is known", { width: 1440, height: 900, before: withLateFlow }, async (page) => {
  await page.evaluate(() => {
    const look = () => {
      const row = document.querySelector("#instructions [data-row]");
      if (!row || globalThis.first) return;
      const isKnown = [...document.querySelectorAll("#instructions .live")].some((cell) => cell.textContent !== "");
      globalThis.first = { row: row.dataset.row, isKnown };
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  });
  // 16 bytes per instruction.
  await dropBytes(page, { "large.zebin": withCode(await readFile(SPILL), 2100) });
  await choose(page.getByRole("tab", { name: "Assembly", exact: true }));
  await eventually(() => page.locator("#instructions .live").first().textContent(), /^\d+$/);
  assert.deepEqual(await page.evaluate(() => globalThis.first), { row: "0", isKnown: false });
});

for (const width of [1440, 900]) {
  journey(`the first rows of code stay where they appear, ${width} px`, { width, height: 900 }, async (page) => {
    await dropFile(page, SPILL);
    await page.getByRole("tab", { name: "Kernel", exact: true }).waitFor();
    await page.evaluate(() => {
      globalThis.tops = new Set();
      const look = () => {
        const row = document.querySelector("#instructions [data-row]");
        if (row) globalThis.tops.add(Math.round(row.closest("[role=grid]").getBoundingClientRect().top));
        requestAnimationFrame(look);
      };
      look();
    });
    await choose(page.getByRole("tab", { name: "Assembly", exact: true }));
    await figure(page, LIVE).waitFor();
    await page.locator("#instructions [data-row]").nth(40).waitFor();
    assert.equal(await page.evaluate(() => globalThis.tops.size), 1);
  });
}

for (const [theme, width, height] of [["light", 1440, 900], ["dark", 1440, 900], ["light", 1920, 1080], ["dark", 1920, 1080], ["light", 700, 900]]) {
  journey(`live registers at the peak, in ${theme}, ${width} px`, { theme, width, height }, async (page) => {
    await open(page, "spill");
    const shown = await show(page, LIVE, "Live registers");
    const peak = shown.getByText(/^\d+ of 128 registers live at the peak/).first();
    const most = /^\d+/.exec(await peak.textContent())[0];
    assert.match(await figure(page, LIVE).textContent(), new RegExp(`^${most}/128 live$`));
    await peak.getByRole("button").click();
    await eventually(() => current(page).locator(".live.peak").textContent(), most);
    await axe(page);
    await screenshot(page, `data-flow-${theme}-${width}`);
  });
}

journey("spill slots, loops and waits lead to their instructions", { width: 1440, height: 900 }, async (page) => {
  await open(page, "spill");
  for (const [name, title, named, column] of [
    [/spills/, "Spills and fills", "Spill slots", "Written at"],
    [/spills/, "Spills and fills", "Spill patterns", "Explanation"],
    [/^loop/, "Loops", "Loops", "Cycles"],
    [/waits$/, "Waits", "Waits", "Waits for"],
  ]) {
    const shown = await show(page, name, title);
    const table = shown.getByRole("table", { name: named });
    await table.getByRole("columnheader", { name: column }).waitFor();
    await axe(page);
    await screenshot(page, `data-flow-${named.toLowerCase().replace(" ", "-")}`);
    const link = table.getByRole("button", { name: /^\+0x/ }).first();
    const offset = (await link.textContent()).slice(1);
    await link.click();
    await eventually(() => offsetOf(current(page)), offset);
  }
});

journey("producers of the selected instruction are marked; a link leads to one and back", { width: 1440, height: 900 }, async (page) => {
  await open(page, "bigprivate");
  await showCodeStart(page);
  await rows(page).filter({ hasText: "send" }).first().locator(".asm .op b").click();
  await page.locator("#instructions .flow-mark.producer").first().waitFor();
  const from = await offsetOf(current(page));
  // The address follows later; selections in quick succession have one entry in the history.
  const selected = await page.waitForFunction((from) => location.hash.includes(from) && location.hash, from).then((hash) => hash.jsonValue());
  await page.getByRole("button", { name: /r127.* at \+0x0$/ }).first().click();
  await eventually(() => offsetOf(current(page)), "0x0");
  await page.locator("#instructions .flow-mark.consumer").first().waitFor();
  // Alt+← of a browser.
  await page.waitForFunction((hash) => location.hash !== hash, selected);
  await page.goBack();
  await eventually(() => offsetOf(current(page)), from);
});

journey("the uses of an operand’s register are filtered by what the instructions read and write", { width: 1440, height: 900 }, async (page) => {
  await open(page, "bigprivate");
  await showCodeStart(page);
  await rows(page).filter({ hasText: "send" }).first().locator(".asm .op b").click();
  await current(page).filter({ hasText: "send" }).waitFor();
  // Until its details arrive, those of the first instruction are shown.
  await page.getByRole("region", { name: "Selected instruction" }).getByRole("heading", { name: `+ ${await offsetOf(current(page))}` }).waitFor();
  await page.getByText("Operands and bits").click();
  await page.getByRole("button", { name: "uses", exact: true }).first().click();
  await eventually(() => page.getByRole("searchbox", { name: "Filter instructions" }).inputValue(), /^reg=r\d+$/);
  await page.getByText(/^3 of 567 rows/).waitFor();
});

journey("the strip of live registers selects the instruction under the pointer", { width: 1440, height: 900 }, async (page) => {
  await open(page, "spill");
  const box = await page.locator("svg.heat").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await current(page).waitFor();
});

const GRID = "#instructions";
const hot = (page) => page.locator(`${GRID} [role=row]`, { has: page.locator(".flow-mark.hot") });
const fold = (page) => hot(page).getByRole("button", { name: /^costliest loop/ });

/** The distance of a row from the top of the visible rows, in rows; negative if it is above. */
const fromTop = (row) => row.evaluate((row) => {
  const area = row.closest("[role=grid]").getBoundingClientRect();
  const head = row.closest("[role=grid]").querySelector("[role=columnheader]").getBoundingClientRect();
  const own = row.getBoundingClientRect();
  return own.bottom > area.bottom ? Infinity : Math.round((own.top - head.bottom) / own.height);
});

for (const [theme, section] of [["light", "spill"], ["dark", "spill"], ["light", "bigprivate"]]) {
  journey(`code opens at its costliest loop: ${section}, ${theme}`, { theme, width: 1440, height: 900 }, async (page) => {
    await open(page, section);
    const fact = dock(page, "Loops").getByText(/^opens at the costliest loop: /).first();
    const start = (await fact.getByRole("button").first().textContent()).slice(1);
    await eventually(() => offsetOf(hot(page)), start);
    await eventually(() => fromTop(hot(page)), 3);
    // No row is selected; the keys start there.
    assert.equal(await current(page).count(), 0);
    await page.locator(GRID).press("ArrowUp");
    await current(page).waitFor();
    assert.ok(Number(await offsetOf(current(page))) < Number(start));
    await axe(page);
    await screenshot(page, `costliest-loop-${theme}-${section.slice(6)}`);
  });
}

journey("a link to an instruction or a filter wins over the costliest loop", { width: 1440, height: 900 }, async (page) => {
  await open(page, "spill");
  await page.evaluate(() => { location.hash = "#k=hugeprivate&pc=0x20&panel=assembly"; });
  await eventually(async () => await current(page).count() === 1 && offsetOf(current(page)), "0x20");
  await page.getByText(/^599 instructions/).waitFor();
  await figure(page, /^loop/).waitFor();
  await eventually(() => fromTop(current(page)), (rows) => rows >= 0 && rows < 40);
  await page.evaluate(() => { location.hash = "#k=spill&panel=assembly&filter=marks%3Dspill"; });
  await page.getByText(/^175 of /).waitFor();
  await eventually(() => page.locator(".flow-mark.hot").count(), 0);
});

journey("a loop is folded at its first row, in the list of loops, and by key", { width: 1440, height: 900 }, async (page) => {
  await open(page, "spill");
  const status = (text) => page.getByRole("status").filter({ hasText: text }).first().waitFor();
  await hot(page).waitFor();
  const start = await offsetOf(hot(page));
  await fold(page).click();
  await eventually(() => hot(page).locator(".flow-mark.hot").textContent(), /, \d+ instructions folded$/);
  const hidden = Number(/(\d+) instructions folded/.exec(await hot(page).textContent())[1]);
  await eventually(() => fold(page).getAttribute("aria-expanded"), "false");
  // The row after it is the first one after the loop.
  const next = page.locator(`${GRID} [role=row][data-row='${Number(await hot(page).getAttribute("data-row")) + 1}']`);
  await eventually(() => offsetOf(next), (offset) => Number(offset) - Number(start) > hidden * 8);
  await status(new RegExp(`^1.403 of |${(1414 - hidden).toLocaleString("en").replace(",", ".")} of `));
  await axe(page);
  await screenshot(page, "folded-loop");

  // The same from the list of loops.
  const listed = dock(page, "Loops").getByRole("table", { name: "Loops" }).getByRole("button", { name: /^costliest loop/ });
  assert.equal(await listed.getAttribute("aria-expanded"), "false");
  await listed.click();
  await eventually(() => fold(page).getAttribute("aria-expanded"), "true");

  // Enter on the first row folds it; a filter finds what is folded.
  await page.locator(GRID).focus();
  await eventually(() => offsetOf(current(page)), start);
  await page.keyboard.press("Enter");
  await eventually(() => fold(page).getAttribute("aria-expanded"), "false");
  const filter = page.getByRole("searchbox", { name: "Filter instructions" });
  await filter.fill("marks=fill");
  await page.getByText(/^133 of /).waitFor();
  await filter.fill("");
  await eventually(() => fold(page).getAttribute("aria-expanded"), "false");

  // A location within the loop unfolds it.
  await page.locator(GRID).focus();
  await page.keyboard.press("g");
  const inside = `0x${(Number(start) + 0x40).toString(16)}`;
  await page.getByRole("dialog").getByRole("textbox").fill(inside);
  await page.keyboard.press("Enter");
  await eventually(() => fold(page).getAttribute("aria-expanded"), "true");
  await eventually(() => current(page).count(), 1);
  assert.ok(Number(await offsetOf(current(page))) > Number(start));
});

journey("blocks are shaded by the samples of a profile", { width: 1440, height: 900 }, async (page) => {
  const samples = path.join(import.meta.dirname, "../../www/samples");
  await dropFile(page, path.join(samples, "matmul.syclbin"));
  await dropFile(page, path.join(samples, "matmul.csv"));
  await page.getByRole("table", { name: "Kernels by samples" }).getByRole("button", { name: "matmul" }).first().click();
  await page.locator(`${GRID} .samples`).first().waitFor();
  await page.getByRole("group", { name: "View" }).getByRole("button", { name: "Graph" }).click();
  const darkest = page.locator("#graph .node", { has: page.locator(".shade[fill-opacity='0.40']") });
  await eventually(() => darkest.locator("title").textContent(), /in a loop · [\d\u00a0]+ samples · \d+ live/);
});

journey("the threshold of more threads is named and marked", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, fixture("zebin/spill.nvl-p.igc2.40.zebin"));
  await choose(page.getByRole("tab", { name: "Assembly", exact: true }));
  await rows(page).nth(1).waitFor();
  await code(page).selectOption({ label: "spill" });
  const shown = await show(page, LIVE, "Live registers");
  await shown.getByText(/^with 192 registers, 5 instead of 4 threads per EU/).first().waitFor();
  // 192 of 256 registers, in twentieths.
  await page.locator(`${GRID} .live.more.m15`).first().waitFor();
  await axe(page);
  await screenshot(page, "more-threads");
});

journey("blocks are shaded by their cost", { width: 1440, height: 900 }, async (page) => {
  await open(page, "bigprivate");
  await page.getByRole("group", { name: "View" }).getByRole("button", { name: "Graph" }).click();
  const shaded = page.locator("#graph .node", { has: page.locator(".shade") });
  await shaded.first().waitFor();
  const nodes = await shaded.evaluateAll((nodes) => nodes.map((node) => ({
    title: node.querySelector("title").textContent,
    shade: Number(node.querySelector(".shade").getAttribute("fill-opacity")),
  })));
  const darkest = nodes.reduce((most, node) => node.shade > most.shade ? node : most);
  assert.match(darkest.title, /in a loop · \d+ cycles · \d+ live/);
  assert.equal(darkest.shade, 0.4);
  await axe(page);
  await screenshot(page, "shaded-blocks");
});
