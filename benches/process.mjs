// Memory of the page's process, for the benchmarks in Chromium.

import { readFile } from "node:fs/promises";

/** The memory of the page's process in bytes: the largest of the renderers. */
export async function memory(page) {
  const session = await page.context().browser().newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const sizes = [];
  for (const { type, id } of processInfo) {
    if (type !== "renderer") continue;
    const status = await readFile(`/proc/${id}/status`, "utf8").catch(() => "");
    sizes.push(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024);
  }
  return Math.max(...sizes);
}
