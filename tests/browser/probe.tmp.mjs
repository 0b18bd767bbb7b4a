import { openPage, closePage, closeBrowser } from "./harness.mjs";
import { readFile } from "node:fs/promises";
const files = {
  many: "/work/shared/samples/zebin/many600.dg2.igc2.40.zebin",
  v2: "/work/shared/samples/syclbin-good/v2_10k_modules.syclbin",
  small: "/work/main/www/samples/vecadd.bmg.zebin",
  syc: "/work/main/www/samples/matmul.syclbin",
};
const b64 = {};
for (const [k, f] of Object.entries(files)) b64[k] = (await readFile(f)).toString("base64");
for (const plan of [["many","many","many"],["v2","v2","v2"],["small*100","many"],["small*300","many"],["syc*40","v2"],["syc*120","v2"]]) {
  const page = await openPage();
  const r = await page.evaluate(async ({ b64, plan }) => {
    const m = await import(new URL("fc4eedf8a6ee/full.js", document.baseURI));
    await m.default();
    const bytes = (s) => Uint8Array.from(atob(s), (c) => c.charCodeAt(0));
    const out = [];
    for (const step of plan) {
      const [name, times] = step.split("*");
      const data = bytes(b64[name]);
      const t = performance.now();
      for (let i = 0; i < Number(times ?? 1); i++) { const d = m.ZeviewDocument.open(data, { name }); d.free(); }
      out.push(step + " " + (performance.now() - t).toFixed(0));
      await new Promise((r) => setTimeout(r, 300));
    }
    return out;
  }, { b64, plan }).catch((e) => String(e));
  console.log(JSON.stringify(r));
  await closePage(page).catch(() => {});
}
await closeBrowser();
