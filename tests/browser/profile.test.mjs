// A profile of unitrace on the code of a file.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { axe, choose, dropBytes, dropFile, eventually, fixture, journey, screenshot, showAllPanes } from "./harness.mjs";

showAllPanes();

const SAMPLES = path.join(import.meta.dirname, "../../www/samples");
const MATMUL = path.join(SAMPLES, "matmul.syclbin");
const PROFILE = path.join(SAMPLES, "matmul.csv");

const grid = (page) => page.getByRole("grid", { name: "Assembly" });
const section = (page) => page.getByRole("region", { name: "Profile" });
const summary = (page) => page.getByRole("group", { name: "Figures" });
const dock = (page) => page.getByRole("region", { name: "Samples", exact: true });
const strip = (page) => page.getByRole("region", { name: "Selected instruction" });
const current = (page) => grid(page).locator("[role=row][aria-selected=true]");

for (const [theme, width] of [["light", 1440], ["dark", 1440], ["light", 1920], ["dark", 1920]]) {
  const options = { theme, width, height: width === 1440 ? 900 : 1080 };
  journey(`a profile leads to the most stalled instruction and its cause, ${theme}, ${width} px`, options, async (page) => {
    await dropFile(page, MATMUL);
    await page.locator(".crumb", { hasText: "matmul.syclbin" }).waitFor();
    // One: drop the profile.
    await dropFile(page, PROFILE);
    await section(page).getByText("matmul.csv").waitFor();
    await eventually(() => section(page).locator(".block-head").innerText(), /12.768 samples, 91\.9.% stalled/);
    await axe(page);
    await screenshot(page, `profile-overview-${theme}-${width}`);
    // Two: the most stalled instruction.
    await section(page).getByRole("button", { name: "+0x340" }).click();
    await current(page).filter({ hasText: "$6.dst" }).waitFor();
    await summary(page).getByText(/12.768 samples/).waitFor();
    await strip(page).getByRole("group", { name: "Samples" }).getByText("SbidStall").waitFor();
    await current(page).getByText(/^1.208$/).waitFor();
    await axe(page);
    await screenshot(page, `profile-assembly-${theme}-${width}`);
    // Three: its cause.
    await strip(page).getByRole("listitem").filter({ hasText: "stalled by" }).getByRole("button").click();
    await current(page).filter({ hasText: "send.ugm" }).waitFor();
  });
}

journey("the summary above the code leads there, too, and samples sort the instructions", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, MATMUL);
  await page.locator(".crumb", { hasText: "matmul.syclbin" }).waitFor();
  await dropFile(page, PROFILE);
  await section(page).getByRole("button", { name: "matmul", exact: true }).click();
  await summary(page).getByRole("button", { name: /samples, SbidStall/ }).click();
  await dock(page).getByRole("button", { name: "+0x318" }).first().click();
  await current(page).filter({ hasText: "send.ugm" }).waitFor();
  const stalls = dock(page).getByRole("table", { name: "Stalls" });
  await eventually(() => stalls.getByRole("row").count(), 21);
  await axe(page);
  await screenshot(page, "profile-stalls");
  await grid(page).getByRole("columnheader", { name: /^Samples/ }).click();
  const head = grid(page).getByRole("columnheader", { name: /^Samples/ });
  await eventually(() => head.getAttribute("aria-sort"), "descending");
  await grid(page).press("Control+Home");
  await eventually(() => grid(page).locator("[data-row='0']").innerText(), /340[^]*1.208/);
  // A worse file keeps the samples.
  await dropBytes(page, { "bad.csv": Buffer.from("a,b\n1,2\n") });
  await page.getByText(/bad\.csv is not a readable profile\. Line 1: /).first().waitFor();
  await summary(page).getByText(/12.768 samples/).waitFor();
});

journey("a profile that is dropped together with its binary", { width: 1440, height: 900 }, async (page) => {
  const both = [MATMUL, PROFILE].map((file) => [path.basename(file), readFileSync(file)]);
  await dropBytes(page, Object.fromEntries(both));
  await section(page).getByRole("button", { name: "+0x340" }).waitFor();
  assert.equal(await page.getByRole("tab", { name: /matmul\.csv/ }).count(), 0);
});

journey("a profile of another build is listed with the reason; a damaged one with its lines", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, path.join(SAMPLES, "vecadd-O0.bmg.zebin"));
  await page.locator(".crumb", { hasText: "vecadd-O0.bmg.zebin" }).waitFor();
  await dropFile(page, fixture("profiles/banner.csv"));
  await section(page).getByText("this profile is of another build").waitFor();
  await axe(page);
  await screenshot(page, "profile-unmatched");
  const damaged = "Kernel, IP[Address], Active[Events]\n\"vecadd\", 0, 7\n\"vecadd\", zero, 1\n";
  await dropBytes(page, { "damaged.csv": Buffer.from(damaged) });
  await section(page).getByText(/^Line 3:/).waitFor();
  await axe(page);
  await screenshot(page, "profile-damaged");
});

journey("metrics are columns of the kernel table, beside the samples", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, path.join(SAMPLES, "vecadd.bmg.zebin"));
  await page.locator(".crumb", { hasText: "vecadd.bmg.zebin" }).waitFor();
  const both = ["banner.csv", "metrics.csv"].map((name) => [name, readFileSync(fixture(`profiles/${name}`))]);
  await dropBytes(page, Object.fromEntries(both));
  await section(page).getByText("banner.csv and metrics.csv").waitFor();
  await section(page).getByText("no metrics: no kernel of this name").waitFor();
  await axe(page);
  await screenshot(page, "profile-metrics-overview");
  await section(page).getByRole("button", { name: /metrics of kernels/ }).click();
  const kernels = page.getByRole("grid", { name: "Kernels" });
  await kernels.getByRole("columnheader", { name: /^XVE_STALL/ }).waitFor();
  await eventually(() => kernels.locator("[data-row='0']").innerText(), /436[^]*238.000[^]*81\.8/);
  await page.getByText("Columns", { exact: true }).click();
  await page.getByRole("checkbox", { name: /L3_BYTE_READ/ }).click();
  await eventually(() => kernels.locator("[data-row='0']").innerText(), /594.000/);
  await page.keyboard.press("Escape");
  await axe(page);
  await screenshot(page, "profile-metrics-kernels");
});

journey("functions of a kernel and samples after its end are listed; device times are a table", { width: 1440, height: 900 }, async (page) => {
  await dropFile(page, fixture("zebin/funcs-stackcall.cri.igc2.40.zebin"));
  await page.locator(".crumb", { hasText: "funcs-stackcall" }).waitFor();
  await dropFile(page, fixture("profiles/functions.csv"));
  await section(page).getByText(/after the end of the code/).waitFor();
  await axe(page);
  await screenshot(page, "profile-functions");
  await section(page).getByRole("button", { name: "vecfun" }).click();
  await grid(page).waitFor();
  await dropFile(page, path.join(SAMPLES, "vecadd.bmg.zebin"));
  await page.locator(".crumb", { hasText: "vecadd.bmg.zebin" }).waitFor();
  await dropFile(page, fixture("profiles/timing.csv"));
  const times = section(page).getByRole("table", { name: "Device times" });
  await eventually(() => times.innerText(), /48.000[^]*AOT/);
  await axe(page);
  await screenshot(page, "profile-device-times");
});

journey("a binary, its profiles and a source file that are dropped together", { width: 1440, height: 900 }, async (page) => {
  const files = {
    "debugme.zebin": readFileSync(fixture("zebin/debugme-lines.ptl-h.igc2.40.zebin")),
    "lines.csv": readFileSync(fixture("profiles/lines.csv")),
    "step.cl": Buffer.from("kernel void step() {}\n"),
  };
  await dropBytes(page, files);
  await section(page).getByText("lines.csv").waitFor();
  // One file is open: no comparison, and no tab for the source.
  assert.equal(await page.getByRole("tab", { name: /step\.cl|lines\.csv/ }).count(), 0);
});

journey("executions of GTPin are beside the code", { width: 1440, height: 900 }, async (page) => {
  const both = [MATMUL, fixture("profiles/executions.json")].map((file) => [path.basename(file), readFileSync(file)]);
  await dropBytes(page, Object.fromEntries(both));
  const counts = section(page).getByRole("table", { name: "Executions" });
  await eventually(() => counts.innerText(), /matmul[^]*1.024 executions, 32\.0 lanes/);
  await axe(page);
  await counts.getByRole("button", { name: "matmul", exact: true }).click();
  await strip(page).getByRole("group", { name: "Executions" }).getByText(/1.024 executions/).waitFor();
  await screenshot(page, "profile-executions");
});

journey("two profiles are compared: of one file, and of two builds", { width: 1440, height: 900 }, async (page) => {
  const heads = "Kernel, IP[Address], Active[Events], SbidStall[Events]\n";
  const table = (rows) => Buffer.from(heads + rows);
  // Another profile would replace one that is still being read.
  const isRead = (name) => section(page).getByText(`Profile ${name}`).waitFor();
  await dropFile(page, path.join(SAMPLES, "vecadd-O0.bmg.zebin"));
  await page.locator(".crumb", { hasText: "vecadd-O0.bmg.zebin" }).waitFor();
  await dropBytes(page, { "o0.csv": table('"vecadd", 0, 1, 300\n') });
  await isRead("o0.csv");
  await dropFile(page, path.join(SAMPLES, "vecadd.bmg.zebin"));
  await page.locator(".crumb", { hasText: "vecadd.bmg.zebin" }).waitFor();
  await dropBytes(page, { "before.csv": table('"vecadd", 1a0, 1, 99\n') });
  await isRead("before.csv");
  await dropBytes(page, { "after.csv": table('"vecadd", 1a0, 1, 49\n') });
  await isRead("after.csv");
  await choose(page.getByRole("tab", { name: /^Compare/ }));
  const changes = page.getByRole("region", { name: "Profiles" });
  await eventually(() => changes.innerText(), /SbidStall 99 → 49/);
  await axe(page);
  await screenshot(page, "profile-compare-one-file");
  // The other build has its own profile.
  await page.locator(".compare .acts").getByRole("button", { name: /vecadd-O0/ }).click();
  await page.getByRole("region", { name: "Differences" }).waitFor();
  await eventually(() => changes.innerText(), /SbidStall 300 → 49/);
  await axe(page);
  await screenshot(page, "profile-compare-builds");
});

journey("a large profile is read in pieces, with progress, and can be canceled", { width: 1440, height: 900 }, async (page) => {
  const MEGABYTES = Number(process.env.ZEVIEW_PROFILE_MEGABYTES ?? 128);
  await dropFile(page, MATMUL);
  await page.locator(".crumb", { hasText: "matmul.syclbin" }).waitFor();
  const csv = readFileSync(PROFILE, "utf8");
  // The parts of the file share their bytes.
  const drop = (megabytes) => page.evaluate(([csv, megabytes]) => {
    const piece = new Blob([csv.repeat(Math.ceil((1 << 20) / csv.length))]);
    const data = new DataTransfer();
    data.items.add(new File(Array(megabytes).fill(piece), "large.csv"));
    const target = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
    for (const type of ["dragenter", "dragover", "drop"]) {
      target.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, composed: true, dataTransfer: data }));
    }
  }, [csv, megabytes]);
  await page.evaluate(() => {
    window.tasks = [];
    new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration)))
      .observe({ type: "longtask" });
  });
  // So much that it is being read until the click.
  await drop(20 * MEGABYTES);
  await section(page).getByText(/^Reading large\.csv … [1-9]\d? %/).waitFor();
  await section(page).getByRole("button", { name: "Cancel" }).click();
  await eventually(() => section(page).count(), 0);
  const started = Date.now();
  await drop(MEGABYTES);
  await section(page).getByText(/samples, 91\.9.% stalled/).waitFor({ timeout: 60_000 });
  const tasks = await page.evaluate(() => window.tasks);
  console.log(`${MEGABYTES} MB in ${Date.now() - started} ms; long tasks of the page: ${tasks.map(Math.round)} ms`);
});
