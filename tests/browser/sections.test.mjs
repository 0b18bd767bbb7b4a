// Lazily decoded contents: DWARF, SPIR-V, compressed bytes.

import { axe, dropFile, eventually, fixture, journey, screenshot } from "./harness.mjs";

const FILE = fixture("zebin/debugme.tgllp.igc1.12504.zebin");

const row = (page, name) => page.getByRole("treeitem", { name });

/** Expands a visible row of the tree. */
async function expand(page, name) {
  await row(page, name).first().click();
  await page.keyboard.press("ArrowRight");
}

for (const theme of ["light", "dark"]) {
  journey(`source lines and instructions, ${theme}`, { theme }, async (page) => {
    await dropFile(page, FILE);
    await row(page, "ELF header").waitFor();
    await expand(page, /^\.debug_line/);
    await expand(page, /line program/);
    await expand(page, /^opcodes/);
    await page.getByText(/row 0x[0-9a-f]+: debugme\.cl:\d+/).first().waitFor();
    await axe(page);
    await screenshot(page, `debug-line-${theme}`);
  });
}

journey("an instruction links to its source line", {}, async (page) => {
  await dropFile(page, FILE);
  await row(page, "ELF header").waitFor();
  await expand(page, /^\.text\.step/);
  await expand(page, /^step/);
  await row(page, /^\+0x138/).waitFor();
  await row(page, /^\+0x138/).click();
  await page.getByText("debugme.cl:6").first().waitFor();
  await screenshot(page, "instruction-line");
});

journey("SPIR-V instructions", {}, async (page) => {
  await dropFile(page, FILE);
  await row(page, "ELF header").waitFor();
  await expand(page, /^\.spv/);
  await row(page, /^capabilities/).waitFor();
  await expand(page, /^instructions/);
  await row(page, /OpCapability/).first().waitFor();
  await axe(page);
  await screenshot(page, "spirv");
});

for (const method of ["zlib", "zstd"]) {
  journey(`an OffloadBinary compressed with ${method}`, {}, async (page) => {
    await dropFile(page, fixture(`syclbin/up24_compressed_${method}.ob`));
    await row(page, /^compressed/).waitFor();
    await expand(page, /^compressed/);
    await expand(page, /^unpacked/);
    await row(page, /^image 0/).click();
    // The bytes are decompressed: they start with SPIR-V's magic number.
    await page.getByText("03 02 23 07").first().waitFor();
    await eventually(() => page.locator("body").innerText(), /unpacked/);
    await axe(page);
    await screenshot(page, `packed-${method}`);
  });
}
