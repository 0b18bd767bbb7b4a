// From a dropped file to its bytes and back.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { axe, choose, dropFile, eventually, expectErrors, expectRequests, journey, screenshot } from "./harness.mjs";
import path from "node:path";

const SAMPLES = path.join(import.meta.dirname, "../../www/samples");
const sample = (name) => path.join(SAMPLES, name);

async function open(page, name) {
  await dropFile(page, sample(name));
  await page.getByRole("treeitem", { name: "ELF header" }).waitFor();
}

/** The selected bytes in hexadecimal. */
async function markedBytes(page) {
  const marks = await page.locator("#hex .h .fs").allTextContents();
  return marks.join(" ").trim().split(/\s+/).join(" ");
}

const selected = (page) => page.locator("[role=treeitem][aria-selected=true]");

for (const theme of ["light", "dark"]) {
  journey(`a dropped file shows its contents, ${theme}`, { theme }, async (page) => {
    await open(page, "vecadd.bmg.zebin");
    await eventually(() => page.getByRole("treeitem").count(), 15);
    await page.getByRole("list", { name: "Summary" }).getByText("bmg-g21 · 20.1.0 · Xe2-HPG").waitFor();
    await page.locator("#hex [role=row]").first().getByText(/7f 45 4c 46 02 01 01 00/).waitFor();
    await page.getByText("in no known part").waitFor();
    await eventually(() => page.getByText("Drop to open").count(), 0);
    await axe(page);
    await choose(page.getByRole("tab", { name: "Problems" }));
    await axe(page);
    await screenshot(page, `small-${theme}`);
  });
}

journey("a field highlights its bytes; a byte selects its field", {}, async (page) => {
  await open(page, "vecadd.bmg.zebin");
  await page.getByRole("treeitem", { name: "ELF header" }).click();
  await page.keyboard.press("ArrowRight");
  const field = page.getByRole("treeitem", { name: /^e_shoff/ });
  await field.click();
  const bytes = await readFile(sample("vecadd.bmg.zebin"));
  const expected = [...bytes.subarray(0x28, 0x30)].map((b) => b.toString(16).padStart(2, "0")).join(" ");
  await page.locator("#hex .h .fs").first().waitFor();
  await eventually(() => markedBytes(page), expected);
  await page.getByText("0x28..0x30").waitFor();
  await axe(page);

  // The byte at 0x12 is the first of e_machine; a second click selects the header.
  const row = page.locator("#hex [role=row][data-line='1'] .h");
  const box = await row.boundingBox();
  const click = () => page.mouse.click(box.x + (box.width * 6.5) / 49, box.y + box.height / 2);
  await click();
  await selected(page).getByText("e_machine").waitFor();
  await eventually(() => markedBytes(page), "cd 00");
  await click();
  await selected(page).getByText("ELF header").waitFor();
});

journey("keyboard only: selecting a value", {}, async (page) => {
  await open(page, "vecadd.bmg.zebin");
  await page.locator("[role=tree]").focus();
  await page.keyboard.press("End");
  await selected(page).getByText("section headers").waitFor();
  // Both before the tree is rendered again, as on a busy machine.
  await page.locator("[role=tree]").evaluate((tree) => {
    for (const key of ["Home", "ArrowDown"]) tree.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  });
  await selected(page).getByText("ELF header").waitFor();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await selected(page).getByText("e_ident").waitFor();
  await page.keyboard.press("ArrowLeft");
  await selected(page).getByText("ELF header").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("grf_count");
  // Not of the first letters: panels and commands are found with those, too.
  await eventually(() => page.getByRole("option").first().innerText(), /grf_count/);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await selected(page).getByText("grf_count").waitFor();
  await eventually(() => markedBytes(page), "31 32 38");
});

journey("a damaged file opens", {}, async (page) => {
  await open(page, "damaged.zebin");
  await choose(page.getByRole("tab", { name: /Problems/ }));
  await page.getByText("elf/relocation-symbol-out-of-bounds").first().waitFor();
  await axe(page);
  await screenshot(page, "damaged");
});

journey("a second file opens in its own tab", {}, async (page) => {
  await open(page, "vecadd.bmg.zebin");
  await dropFile(page, sample("spill.dg2.zebin"));
  await page.getByRole("treeitem", { name: /^\.text\.bigprivate/ }).waitFor();
  await page.getByRole("tab", { name: /vecadd\.bmg\.zebin/ }).click();
  await page.getByRole("treeitem", { name: /^\.text\.vecadd/ }).waitFor();
  await axe(page);
});

journey("600 kernels: few rows in the tree's DOM", {}, async (page) => {
  await open(page, "kernels600.dg2.zebin");
  assert.ok((await page.getByRole("treeitem").count()) <= 100);
  await page.locator("[role=tree]").focus();
  await page.keyboard.press("End");
  await selected(page).getByText("section headers").waitFor();
  assert.ok((await page.getByRole("treeitem").count()) <= 100);
  await screenshot(page, "kernels600");
});

journey("a click opens a sample", {}, async (page) => {
  expectRequests(page, /samples\/spill\.dg2\.zebin$/);
  await page.getByRole("button", { name: "Spilling kernels" }).click();
  await page.getByRole("treeitem", { name: /^\.text\.spill/ }).waitFor();
});

for (const [width, height] of [
  [700, 900],
  [360, 740],
]) {
  journey(`an open file, ${width} px`, { width, height }, async (page) => {
    await open(page, "spill.dg2.zebin");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    assert.equal(wide, false, "the page scrolls sideways");
    await axe(page);
    await screenshot(page, `narrow-${width}`);
  });
}

journey("?embed=1 shows the panes without the frame", { address: "?embed=1&panes=structure,bytes,inspector" }, async (page) => {
  await dropFile(page, sample("vecadd.bmg.zebin"));
  await page.getByRole("treeitem", { name: "ELF header" }).waitFor();
  assert.equal(await page.getByRole("banner").count(), 0);
  await axe(page);
});

journey("text from a file is never interpreted as markup or script", {}, async (page) => {
  expectErrors(page, /requires 'Trusted(HTML|Script|ScriptURL)'/, /trusted-types/);
  const refused = await page.evaluate(() => {
    const ways = {
      markup: () => { document.body.innerHTML = "<b>bold</b>"; },
      worker: () => new Worker("data:text/javascript,0"),
      address: () => { document.createElement("script").src = "boot.js"; },
      policy: () => trustedTypes.createPolicy("another", { createHTML: (text) => text }),
    };
    return Object.entries(ways).map(([name, way]) => {
      try {
        way();
        return `${name} taken`;
      } catch (error) {
        return `${name} ${error.name}`;
      }
    });
  });
  assert.deepEqual(refused, ["markup TypeError", "worker TypeError", "address TypeError", "policy TypeError"]);
});
