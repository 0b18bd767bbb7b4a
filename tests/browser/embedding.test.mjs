// <zeview-embed> in other pages, and the messages between the two pages.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { axe, eventually, expectRequests, fixture, journey, screenshot } from "./harness.mjs";
import { serve } from "./server.mjs";

const SAMPLES = path.join(import.meta.dirname, "../../www/samples");

const SINGLE = path.resolve(process.env.ZEVIEW_SINGLE ?? path.join(import.meta.dirname, "../../target/single/zeview.html"));

/** A page of another site with this body. */
function written(body, policy = "default-src 'none'; script-src 'self' 'nonce-own'; frame-src *") {
  return async (page) => {
    // The frame may load longer than its parent page.
    expectRequests(page, /\/zeview\//);
    await page.route("**/documentation.html", (route) =>
      route.fulfill({
        contentType: "text/html",
        headers: { "Content-Security-Policy": policy },
        body: `<!doctype html><html lang="en"><title>Documentation</title><main><h1>Documentation</h1>${body}</main>
          <script nonce="own">
            window.told = [];
            for (const type of ["ready", "loaded", "selected", "problems", "error", "resize"])
              addEventListener("zeview-" + type, ({ detail, target }) => told.push({ type, detail, at: target.id }), true);
          </script>
          <script src="./zeview-embed.js"></script>`,
      }));
  };
}

const embed = (attributes, inside = "") => `<zeview-embed ${attributes}>${inside}</zeview-embed>`;
const frame = (page) => page.frameLocator("iframe");
const told = (page, type) =>
  page.evaluate((type) => window.told.filter((event) => event.type === type).map(({ detail }) => detail), type);
const last = async (page, type) => (await told(page, type)).at(-1);
const other = { address: "documentation.html", other: true };

journey("<zeview-embed> shows a file and reports the selection", {
  ...other,
  before: written(embed(`src="samples/spill.dg2.zebin" panel="kernels" select="k=hugeprivate&f=private_size" height="600" loading="eager"`)),
}, async (page) => {
  await frame(page).getByRole("tab", { name: /Kernels/, selected: true }).waitFor();
  await eventually(async () => (await told(page, "loaded")).length, 1);
  const loaded = await last(page, "loaded");
  assert.equal(loaded.name, "spill.dg2.zebin");
  assert.equal(loaded.format, "zebin");
  assert.ok(loaded.size > 1000 && loaded.facts.length > 0, JSON.stringify(loaded));
  assert.deepEqual(Object.keys(await last(page, "problems")), ["errors", "warnings", "notes", "list"]);
  await eventually(async () => (await last(page, "selected"))?.link ?? "", /private_size/);

  // Attributes that change later.
  await page.locator("zeview-embed").evaluate((element) => element.setAttribute("panel", "overview"));
  await frame(page).getByRole("tab", { name: "Overview", selected: true }).waitFor();
  await page.locator("zeview-embed").evaluate((element) => element.select("s=.ze_info"));
  await eventually(async () => (await last(page, "selected")).link, /ze_info/);
  await page.locator("zeview-embed").evaluate((element) => element.setAttribute("theme", "dark"));
  await eventually(() => frame(page).locator("html").getAttribute("data-theme"), "dark");
  await page.locator("zeview-embed").evaluate((element) => element.select("k=nothing"));
  await eventually(async () => (await last(page, "error"))?.code, "not-found");
  await axe(page);
  await screenshot(page, "embedded");
});

journey("<zeview-embed> opens bytes from the embedding page", {
  ...other,
  before: written(embed(`loading="click" theme="light"`, "<p>Two builds of one kernel.</p>")),
}, async (page) => {
  await page.getByText("Two builds of one kernel.").waitFor();
  assert.equal(await page.locator("iframe").count(), 0, "nothing is loaded before somebody wants it");
  await axe(page);
  await screenshot(page, "embed-placeholder");
  const open = async (name, kind) => {
    const bytes = (await readFile(path.join(SAMPLES, name))).toString("base64");
    await page.locator("zeview-embed").evaluate(async (element, [name, kind, base64]) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      element.open(kind === "blob" ? new Blob([bytes]) : bytes, { name, link: "panel=kernels" });
    }, [name, kind, bytes]);
    await eventually(async () => (await last(page, "loaded"))?.name, name);
  };
  await open("vecadd.bmg.zebin", "bytes");
  await open("spill.dg2.zebin", "blob");
  await frame(page).getByRole("tab", { name: /Kernels/, selected: true }).waitFor();
  await page.locator("zeview-embed").evaluate((element) => element.open({ no: "bytes" }));
  await eventually(async () => (await last(page, "error"))?.code, "not-opened");
});

journey("<zeview-embed> shows the page from its text", {
  ...other,
  // The frame inherits the policy.
  before: written(embed(`loading="click" theme="dark" panel="kernels"`), "frame-ancestors 'self'"),
}, async (page) => {
  const html = await readFile(SINGLE, "utf8");
  const bytes = (await readFile(path.join(SAMPLES, "spill.dg2.zebin"))).toString("base64");
  await page.locator("zeview-embed").evaluate((element, [html, base64]) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    element.html = html;
    element.open(bytes, { name: "spill.dg2.zebin" });
  }, [html, bytes]);
  await frame(page).getByRole("tab", { name: /Kernels/, selected: true }).waitFor();
  await frame(page).getByRole("gridcell", { name: "hugeprivate" }).first().click();
  await eventually(async () => (await last(page, "selected"))?.link ?? "", /hugeprivate/);
  assert.equal(await frame(page).locator("html").getAttribute("data-theme"), "dark");
  assert.equal(await frame(page).locator(".head-line").count(), 0, "the page is embedded");
  assert.equal(await page.locator("iframe").evaluate((frame) => frame.contentDocument), null, "the frame is sandboxed");
});

journey("an embedded page loads when scrolled near and fits its content's height", {
  ...other,
  before: written(`<div id="far"></div>${embed(`src="samples/matmul.syclbin" height="auto"`, `<a href="samples/matmul.syclbin">matmul.syclbin</a>`)}
    <script nonce="own">document.getElementById("far").style.height = "3000px";</script>`),
}, async (page) => {
  await page.getByRole("link", { name: "matmul.syclbin" }).waitFor({ state: "attached" });
  assert.equal(await page.locator("iframe").count(), 0);
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await frame(page).getByRole("heading", { name: "Verdict" }).waitFor();
  await eventually(async () => (await told(page, "resize")).length > 0, true);
  const height = (await last(page, "resize")).height;
  await eventually(
    () => page.locator("zeview-embed").evaluate((element) => element.offsetHeight),
    (now) => Math.abs(now - Math.min(1200, height)) <= 2,
  );
});

journey("messages work in a sandboxed frame on another site", {
  ...other,
  before: written(embed(`src="samples/vecadd.bmg.zebin" sandbox loading="eager" height="600" panes="structure"`)),
}, async (page) => {
  await frame(page).getByRole("treeitem", { name: "ELF header" }).click();
  await eventually(async () => (await last(page, "selected"))?.start, 0);
  assert.equal((await last(page, "loaded")).name, "vecadd.bmg.zebin");
});

journey("a download from a third site needs confirmation", {
  ...other,
  before: async (page) => {
    const third = await serve(SAMPLES);
    page.once("close", () => third.close());
    const host = third.origin.replace("127.0.0.1", "localhost");
    expectRequests(page, /localhost/);
    await written(embed(`src="${host}/vecadd.bmg.zebin" loading="eager" height="600"`))(page);
  },
}, async (page) => {
  const question = frame(page).getByRole("heading", { name: /Open vecadd\.bmg\.zebin from localhost/ });
  await question.waitFor();
  await screenshot(page, "embed-asks");
  assert.deepEqual(await told(page, "loaded"), []);
  await frame(page).getByRole("button", { name: "Open, and let that page read it" }).click();
  await frame(page).getByRole("heading", { name: "Verdict" }).waitFor();
  await eventually(async () => (await told(page, "loaded")).length, 1);
});

journey("the page answers only its parent window", {
  ...other,
  before: written(`<iframe id="zeview" title="zeview" width="900" height="500" src="./?embed=1&url=samples/vecadd.bmg.zebin"></iframe>
    <iframe id="stranger" title="stranger" srcdoc="<script nonce=own>function send(to, message) { to.postMessage(message, '*'); }</script>"></iframe>`),
}, async (page) => {
  await page.frameLocator("#zeview").getByRole("heading", { name: "Verdict" }).waitFor();
  const answers = await page.evaluate(async () => {
    const heard = { own: [], stranger: [] };
    const zeview = document.getElementById("zeview").contentWindow;
    const stranger = document.getElementById("stranger").contentWindow;
    addEventListener("message", ({ data }) => heard.own.push(data));
    stranger.addEventListener("message", ({ data }) => heard.stranger.push(data));
    const wait = () => new Promise((resolve) => setTimeout(resolve, 300));
    // Its own function, so that the frame is the sender.
    stranger.send(zeview, { zeview: 1, type: "ping", id: 7 });
    await wait();
    const before = heard.own.length;
    zeview.postMessage({ zeview: 1, type: "ping", id: 8 }, "*");
    zeview.postMessage({ zeview: 9, type: "ping", id: 9 }, "*");
    zeview.postMessage({ zeview: 1, type: "fly", id: 10 }, "*");
    zeview.postMessage("noise of another script", "*");
    await wait();
    return { before, ...heard };
  });
  assert.equal(answers.before, 0);
  assert.deepEqual(answers.stranger, []);
  const said = (id) => answers.own.filter((message) => message.id === id).map(({ type, code }) => [type, code]);
  assert.deepEqual(said(8), [["ready", undefined]]);
  assert.deepEqual(said(9), [["error", "version"]]);
  assert.deepEqual(said(10), [["error", "message"]]);
  assert.ok(answers.own.some(({ type }) => type === "loaded"), "after the first ping it tells what is open");
});

/** The page in a document of a program, which notes the messages in `said`. */
async function hosted(page) {
  await page.addInitScript(() => {
    globalThis.said = [];
    globalThis.zeviewHost = Object.assign(new EventTarget(), { postMessage: (message) => said.push(message) });
    globalThis.send = (message) => {
      const data = { zeview: 1, ...message };
      setTimeout(() => zeviewHost.dispatchEvent(new MessageEvent("message", { data })));
    };
  });
}

journey("a program shows the page in a document of its own", { before: hosted, width: 1440, height: 900 }, async (page) => {
  const said = (type) => page.evaluate((type) => globalThis.said.filter((message) => message.type === type), type);
  const last = async (type) => (await said(type)).at(-1);
  const send = (message) => page.evaluate((message) => globalThis.send(message), message);
  const sample = async (name) => [...await readFile(path.join(SAMPLES, name))];
  await send({ type: "ping", id: 1 });
  await eventually(async () => (await last("ready"))?.id, 1);

  // A file that is read on demand.
  await page.evaluate((bytes) => {
    const content = new Blob([new Uint8Array(bytes)]);
    class Distant extends File {
      get size() { return content.size; }
      slice(start, end) { return content.slice(start, end); }
      arrayBuffer() { return content.arrayBuffer(); }
    }
    globalThis.file = new Distant([], "kernel.zebin");
    // The decoder gets it as it is, and would have to know it.
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function post(message, ...more) {
      const file = message.file === globalThis.file ? new File([content], "kernel.zebin") : message.file;
      postMessage.call(this, file ? { ...message, file } : message, ...more);
    };
    globalThis.send({ type: "open", bytes: globalThis.file, follow: true });
  }, await sample("damaged.zebin"));
  await eventually(async () => (await last("loaded"))?.name, "kernel.zebin");
  await page.getByRole("button", { name: "Watch the file", pressed: true }).waitFor();
  await eventually(async () => (await last("problems"))?.list ?? [], (list) => list.some(({ rule }) => rule.startsWith("driver/")));
  const problems = await last("problems");
  const syntax = problems.list.find(({ rule }) => rule === "ze-info/syntax-error");
  assert.deepEqual(Object.keys(syntax), ["severity", "rule", "message", "source", "start", "end"]);
  assert.ok(syntax.severity === "error" && syntax.source === 0 && syntax.start < syntax.end);

  // Another version, compared with the first one.
  await page.evaluate((bytes) => globalThis.send({ type: "changed", bytes: new File([new Uint8Array(bytes)], "kernel.zebin") }), await sample("spill.dg2.zebin"));
  await page.getByText("kernel.zebin changed and was reloaded.").waitFor();
  await eventually(async () => (await said("loaded")).length, 2);
  assert.ok((await last("loaded")).facts.length > 1);
  await page.getByRole("button", { name: /Compare with the previous build/ }).waitFor();

  // Tables as text, and rows of them.
  await send({ type: "table", id: 2, list: "kernels", columns: "name simd_size", filter: "spill_size=0" });
  await eventually(async () => (await last("table"))?.text, "Kernel\tSIMD\nbigprivate\t32\nhugeprivate\t32\n");
  await send({ type: "select", list: "kernels", row: 1, panel: "assembly" });
  await page.getByRole("tab", { name: "Assembly", selected: true }).waitFor();
  await eventually(async () => (await last("selected")).link, /^k=hugeprivate&panel=assembly/);
  await send({ type: "table", id: 3, list: "kernels", columns: "name", filter: "simd_size=" });
  await eventually(async () => (await last("error"))?.id, 3);
  await send({ type: "table", id: 4, list: "nothing" });
  await eventually(async () => (await last("error"))?.message, "“nothing” is not a list.");

  // What is saved goes to the program.
  await send({ type: "command", command: "save-report" });
  await eventually(async () => (await said("save")).map(({ name }) => name), ["kernel.zebin-report.html"]);
  const report = await page.evaluate(() => globalThis.said.find(({ type }) => type === "save").file.text());
  assert.match(report, /^<!doctype html>/i);
  await axe(page);
  await screenshot(page, "hosted");
});

journey("a program gets the source line of the selected code, and selects the code of a line", { before: hosted, width: 1440, height: 900 }, async (page) => {
  const last = (type) => page.evaluate((type) => globalThis.said.findLast((message) => message.type === type), type);
  const bytes = [...await readFile(fixture("zebin/debugme.tgllp.igc1.12504.zebin"))];
  await page.evaluate((bytes) => {
    globalThis.send({ type: "ping" });
    globalThis.send({ type: "open", bytes: new Uint8Array(bytes), name: "kernel.zebin", link: "panel=assembly" });
  }, bytes);
  await eventually(async () => (await last("loaded"))?.name, "kernel.zebin");
  await page.evaluate(() => globalThis.send({ type: "select", list: "source-lines", inner: true, filter: "source_file=\"debugme.cl\" line=9" }));
  await eventually(async () => (await last("selected"))?.start > 0, true);
  await page.getByRole("button", { name: "Open source" }).click();
  await eventually(async () => (await last("source"))?.text ?? "", /debugme\.cl\t9\t\d+\n$/);
  await page.evaluate(() => globalThis.send({ type: "select", list: "source-lines", filter: "line=99" }));
  await eventually(async () => (await last("error"))?.message, "No row matches.");
});
