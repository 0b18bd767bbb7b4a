// Files with compressed bytes: their reader is loaded, and what they hold is shown in place.

import { axe, dropFile, eventually, fixture, journey, screenshot } from "./harness.mjs";

const row = (page, name) => page.getByRole("treeitem", { name });

/** Opens a row of the tree that is in view. */
async function expand(page, name) {
  await row(page, name).first().click();
  await page.keyboard.press("ArrowRight");
}

for (const method of ["zlib", "zstd"]) {
  journey(`an OffloadBinary packed with ${method}`, {}, async (page) => {
    await dropFile(page, fixture(`syclbin/up24_compressed_${method}.ob`));
    await row(page, /^compressed/).waitFor();
    await expand(page, /^compressed/);
    await expand(page, /^unpacked/);
    await row(page, /^image 0/).click();
    // The bytes are those of the unpacked ones: SPIR-V's magic number comes first.
    await page.getByText("03 02 23 07").first().waitFor();
    await eventually(() => page.locator("body").innerText(), /unpacked/);
    await axe(page);
    await screenshot(page, `packed-${method}`);
  });
}
