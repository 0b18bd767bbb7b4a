// A page of another site that embeds zeview learns nothing about files that it did not give.

import assert from "node:assert/strict";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { axe, choose, dropBytes, eventually, expectErrors, expectRequests, journey, screenshot } from "./harness.mjs";
import { serve } from "./server.mjs";

const SAMPLES = path.join(import.meta.dirname, "../../www/samples");
const read = (name) => readFile(path.join(SAMPLES, name));

/** The file of the reader: these words are in what zeview shows of it. */
const SECRET = "secret-of-the-reader.zebin";
const WORDS = /secret-of-the-reader|bigprivate|hugeprivate|spill_size":|\bspill\b|31[0-9]{3}/;

const LISTS = [
  "kernels", "symbols", "relocations", "instructions", "lines", "source-lines", "modules", "properties", "images",
  "devices", "files", "matrix", "differences", "changes", "profile-changes",
];

/** Every message that the documentation has, and one that it does not have; with ids from 100 on. */
const MESSAGES = [
  { type: "panel", panel: "kernels" },
  { type: "select", link: "k=hugeprivate" },
  { type: "select", link: "s=.ze_info" },
  { type: "select", list: "kernels", row: 0, panel: "assembly" },
  { type: "select", list: "kernels", filter: "hugeprivate" },
  { type: "source" },
  { type: "command", command: "save-report" },
  { type: "theme", theme: "dark" },
  { type: "panes", panes: "structure bytes" },
  { type: "fly" },
  ...LISTS.flatMap((list) => [{ type: "table", list }, { type: "table", list, inner: true }]),
];

/**
 * Opens a page on another origin with zeview in a frame, after a `ping`. Returns the frame and functions
 * that act as that page: `heard` has the messages from zeview.
 */
async function embedded(page, query = "", { ping = true } = {}) {
  expectRequests(page, /./);
  const zeview = (page.zeview ??= page.url().split("?")[0]);
  const body = `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Other</title><main><h1>Other</h1><input type="file" aria-label="file">
    <iframe title="zeview" width="1200" height="700" src="${zeview}?embed=1&panes=structure,bytes,inspector${query.replaceAll("&", "&amp;")}"></iframe></main>`;
  // Not an intercepted request: to the browser, its response would come from the public network.
  const folder = await mkdtemp(path.join(tmpdir(), "zeview-"));
  await writeFile(path.join(folder, "parent.html"), body);
  const server = await serve(folder);
  page.once("close", () => server.close());
  const address = server.origin.replace("127.0.0.1", "localhost");
  await page.addInitScript(() => {
    if (parent !== window) return;
    globalThis.heard = [];
    addEventListener("message", ({ data }) => heard.push(data));
    globalThis.send = (message) => document.querySelector("iframe").contentWindow.postMessage({ zeview: 1, ...message }, "*");
    globalThis.bytes = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  });
  await page.goto(`${address}/parent.html`);
  await eventually(() => page.evaluate(() => heard.some(({ type }) => type === "ready")), true);
  if (ping) {
    await page.evaluate(() => send({ type: "ping", id: 1 }));
    await eventually(() => page.evaluate(() => heard.some(({ id }) => id === 1)), true);
  }
  const frame = page.frames().find((frame) => frame.url().startsWith(zeview));
  const heard = () => page.evaluate(() => heard);
  return {
    frame,
    heard,
    send: (message) => page.evaluate((message) => send(message), message),
    open: async (name, more = {}) => {
      const base64 = (await read(name)).toString("base64");
      await page.evaluate(([name, base64, more]) => send({ type: "open", bytes: bytes(base64), name, ...more }), [name, base64, more]);
      await eventually(async () => (await heard()).findLast(({ type }) => type === "loaded")?.name, name);
    },
    /** Sends every message, and returns what comes until a moment after all questions are answered. */
    everything: async () => {
      const before = (await heard()).length;
      await page.evaluate((messages) => messages.forEach((message, place) => send({ ...message, id: 100 + place })), MESSAGES);
      await page.evaluate(() => send({ type: "ping", id: 99 }));
      const asked = [99, ...MESSAGES.flatMap(({ type }, place) => (type === "table" ? [100 + place] : []))];
      await eventually(async () => {
        const answered = new Set((await heard()).slice(before).map(({ id }) => id));
        return asked.filter((id) => !answered.has(id)).join(" ");
      }, "");
      await pause(700);
      return (await heard()).slice(before);
    },
  };
}

const dropped = async (frame) => {
  await dropBytes(frame, { [SECRET]: await read("spill.dg2.zebin") });
  await frame.getByText("Private: the page around this frame cannot read this file.").waitFor();
};

/** Fails if any message is about the reader's file. */
function assertSilent(messages, { types = ["ready", "error"] } = {}) {
  for (const message of messages) {
    assert.ok(types.includes(message.type), JSON.stringify(message));
    assert.doesNotMatch(JSON.stringify(message), WORDS);
  }
}

journey("an embedding page learns nothing about a file that the reader drops", async (page) => {
  const { frame, heard, everything } = await embedded(page);
  const before = await everything();
  await dropped(frame);
  await frame.getByRole("treeitem", { name: "ELF header" }).click();
  await choose(frame.getByRole("tab", { name: /Kernels/ }), frame);
  await frame.getByRole("gridcell", { name: "hugeprivate" }).first().click();
  const after = await everything();
  assertSilent(await heard());
  // Not even that there is a file.
  const plain = (messages) => messages.map(({ type, code, message, id }) => [type, code, message, id]);
  assert.deepEqual(plain(after), plain(before));
  assert.ok(after.filter(({ code }) => code === "no-file").length >= LISTS.length);
  // The address would make the file one of the embedding page when the frame is loaded again.
  assert.doesNotMatch(frame.url(), /url=/);
  await axe(page);
  await screenshot(page, "embed-private");
});

for (const theme of ["light", "dark"]) {
  journey(`the reader sees that a file in a frame is private, ${theme}`, { theme }, async (page) => {
    const { frame } = await embedded(page, `&theme=${theme}`);
    await dropped(frame);
    await axe(page);
    await screenshot(page, `embed-private-${theme}`);
  });
}

journey("an embedding page reads its own file, and not the one that the reader opens after it", async (page) => {
  const { frame, heard, open, everything } = await embedded(page);
  await open("vecadd.bmg.zebin");
  await frame.getByRole("treeitem", { name: "ELF header" }).click();
  await eventually(async () => (await heard()).findLast(({ type }) => type === "selected")?.start, 0);
  const own = await everything();
  const kernels = own.find(({ type, text }) => type === "table" && text.startsWith("Kernel\t"));
  assert.match(kernels.text, /vecadd/);
  await dropped(frame);
  const count = (await heard()).length;
  await frame.getByRole("treeitem", { name: "ELF header" }).click();
  await choose(frame.getByRole("tab", { name: /Kernels/ }), frame);
  await frame.getByRole("gridcell", { name: "hugeprivate" }).first().click();
  await pause(500);
  assert.deepEqual((await heard()).slice(count), [], "what the reader does there is no event");
  const after = await everything();
  assertSilent(after, { types: ["ready", "error", "table", "selected", "source"] });
  const text = (messages) => messages.filter(({ type }) => type === "table").map(({ id, text }) => [id, text]).sort();
  assert.deepEqual(text(after), text(own), "the messages are about its own file");
});

journey("an embedding page opens its file in place of the reader's", async (page) => {
  const { frame, heard, open, everything } = await embedded(page);
  await dropped(frame);
  await open("vecadd.bmg.zebin", { id: 7 });
  assert.equal((await heard()).find(({ type }) => type === "loaded").id, 7);
  await everything();
  assertSilent(await heard(), { types: ["ready", "error", "loaded", "problems", "selected", "table", "resize", "source"] });
  assert.equal(await frame.getByText("Private:").count(), 0);
});

journey("a file that the reader compares with, or adds to, one of the embedding page makes it private", async (page) => {
  for (const add of ["compare", "profile"]) {
    const { frame, heard, open, everything } = await embedded(page);
    await open("vecadd.bmg.zebin");
    await everything();
    if (add === "compare") {
      await choose(frame.getByRole("tab", { name: /Compare/ }), frame);
      await dropBytes(frame, { [SECRET]: await read("spill.dg2.zebin") }, { on: "[data-base]" });
      await frame.getByRole("region", { name: "Differences" }).getByText("hugeprivate").first().waitFor();
    } else {
      await dropBytes(frame, { "secret-of-the-reader.csv": Buffer.from("KernelName,Time\nhugeprivate,1\n") });
    }
    await frame.getByText("Private: the page around this frame").waitFor();
    const count = (await heard()).length;
    const after = await everything();
    assertSilent(after);
    assert.ok(after.filter(({ code }) => code === "no-file").length >= LISTS.length);
    assert.equal((await heard()).length, count + after.length);
  }
});

journey("an embedding page cannot name a file of the reader by its name, size and time", async (page) => {
  const { frame, open, everything } = await embedded(page);
  const bytes = await read("spill.dg2.zebin");
  await frame.evaluate(([name, base64]) => {
    const data = new DataTransfer();
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    data.items.add(new File([bytes], name, { lastModified: 5 }));
    for (const type of ["dragenter", "dragover", "drop"]) {
      document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }));
    }
  }, [SECRET, bytes.toString("base64")]);
  await frame.getByText("Private:").waitFor();
  const forged = (type) => page.evaluate(([type, name, size]) => {
    send({ type, bytes: new File([new Uint8Array(size)], name, { lastModified: 5 }), name });
  }, [type, SECRET, bytes.length]);
  await forged("open");
  await frame.getByText("Private:").waitFor({ state: "detached" });
  for (const message of await everything()) assert.doesNotMatch(JSON.stringify(message), /bigprivate|hugeprivate/);
  await open("vecadd.bmg.zebin");
  await forged("compare");
  await pause(1000);
  for (const message of await everything()) assert.doesNotMatch(JSON.stringify(message), /bigprivate|hugeprivate/);
});

journey("a file that the reader chooses in place of one of the embedding page is private", async (page) => {
  const { frame, heard, everything } = await embedded(page);
  const file = path.join(await mkdtemp(path.join(tmpdir(), "zeview-")), "vecadd.zebin");
  await writeFile(file, await read("vecadd.bmg.zebin"));
  await page.getByLabel("file", { exact: true }).setInputFiles(file);
  await page.evaluate(() => send({ type: "open", bytes: document.querySelector("input").files[0] }));
  await eventually(async () => (await heard()).some(({ type }) => type === "loaded"), true);
  // It changes on the disk, and the reader reopens another one instead.
  await writeFile(file, await read("divergent.bmg.zebin").catch(() => Buffer.alloc(100)));
  const banner = frame.getByRole("button", { name: "Reopen…" });
  const items = frame.getByRole("treeitem");
  for (let place = 1; !(await banner.isVisible()); place++) {
    await items.nth(place % await items.count()).click();
    await pause(100);
  }
  const secret = path.join(path.dirname(file), SECRET);
  await writeFile(secret, await read("spill.dg2.zebin"));
  // The last of its own selections may be answered late.
  let count = -1;
  for (let now = 0; now !== count; now = (await heard()).length) {
    count = now;
    await pause(700);
  }
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), banner.click()]);
  await chooser.setFiles(secret);
  await frame.getByText("Private:").waitFor();
  await frame.getByText("hugeprivate").first().waitFor();
  await everything();
  assertSilent((await heard()).slice(count));
});

journey("a newer version from the embedding page is reported, and one after a change of the reader is not", async (page) => {
  const { frame, heard, open, everything } = await embedded(page);
  await open("vecadd.bmg.zebin", { follow: true });
  const changed = async (name) => {
    const base64 = (await read(name)).toString("base64");
    await page.evaluate(([base64]) => send({ type: "changed", bytes: bytes(base64), name: "vecadd.bmg.zebin" }), [base64]);
  };
  const loaded = async () => (await heard()).filter(({ type }) => type === "loaded").length;
  await changed("vecadd-O0.bmg.zebin");
  await eventually(loaded, 2);
  await dropBytes(frame, { "secret-of-the-reader.csv": Buffer.from("KernelName,Time\nhugeprivate,1\n") });
  await frame.getByText("Private:").waitFor();
  const count = (await heard()).length;
  await changed("vecadd.bmg.zebin");
  await pause(1000);
  await everything();
  assertSilent((await heard()).slice(count));
});

journey("before a ping, an embedding page hears only that the page listens", async (page) => {
  const { heard, send } = await embedded(page, "&url=samples/vecadd.bmg.zebin", { ping: false });
  await send({ type: "table", list: "kernels", id: 3 });
  await send({ type: "select", link: "k=vecadd", id: 4 });
  await pause(1500);
  const seen = (await heard()).map(({ type, code, id }) => [type, code, id]);
  assert.deepEqual(seen, [["ready", undefined, undefined], ["error", "message", 3], ["error", "message", 4]]);
  await send({ type: "ping", id: 5 });
  await eventually(async () => (await heard()).some(({ type }) => type === "selected"), true);
});

journey("responses have the id of their message", async (page) => {
  expectErrors(page, /404/);
  const { heard, send, open } = await embedded(page);
  const answer = async (id) => (await heard()).filter((message) => message.id === id).map(({ type, code }) => [type, code]);
  await send({ type: "open", url: new URL("samples/none.zebin", page.frames()[1].url()).href, id: 11 });
  await eventually(() => answer(11), [["error", "not-opened"]]);
  await send({ type: "open", bytes: "no bytes", id: 12 });
  await eventually(() => answer(12), [["error", "not-opened"]]);
  await open("vecadd.bmg.zebin", { id: 13 });
  await eventually(() => answer(13), [["loaded", undefined]]);
  await send({ type: "select", link: "k=nothing", id: 14 });
  await eventually(() => answer(14), [["error", "not-found"]]);
  await send({ type: "select", list: "kernels", filter: "nothing", id: 15 });
  await eventually(() => answer(15), [["error", "not-found"]]);
  await send({ type: "source", id: 16 });
  await eventually(() => answer(16), [["error", "not-found"]]);
});

journey("a file of a third site is opened for the embedding page, or only for the reader", async (page) => {
  const third = await serve(SAMPLES, { headers: { "Access-Control-Allow-Origin": "*" } });
  page.once("close", () => third.close());
  const url = `${third.origin}/spill.dg2.zebin`;
  const { frame, heard, everything } = await embedded(page, `&url=${url}`);
  const question = frame.getByRole("heading", { name: /Open spill\.dg2\.zebin from/ });
  await question.waitFor();
  await frame.getByText(new RegExp(`The page around this frame, ${new URL(page.url()).origin}, .* can read what zeview shows`)).waitFor();
  // The height of the question says nothing about the file.
  const types = ["ready", "error", "resize"];
  assertSilent(await everything(), { types });
  await axe(page);
  await screenshot(page, "embed-asks");
  await frame.getByRole("button", { name: "Open, but keep it private" }).press("Enter");
  await frame.getByText("Private:").waitFor();
  await everything();
  assertSilent(await heard(), { types });

  const again = await embedded(page, `&url=${url}`);
  await again.frame.getByRole("button", { name: "Open, and let that page read it" }).click();
  await eventually(async () => (await again.heard()).some(({ type }) => type === "loaded"), true);
  const tables = (await again.everything()).filter(({ type }) => type === "table");
  assert.ok(tables.some(({ text }) => text.includes("hugeprivate")));
});

journey("other files on zeview's host are as private as those of a third site", async (page) => {
  const { frame, heard } = await embedded(page, "&url=../secret.zebin");
  await frame.getByRole("heading", { name: /Open secret\.zebin from/ }).waitFor();
  assertSilent(await heard(), { types: ["ready", "resize"] });
});
