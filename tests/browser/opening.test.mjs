// Opening files: dropped, pasted, chosen, by link; and files of unknown format.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { axe, dropBytes, expectRequests, expectErrors, journey } from "./harness.mjs";

const SAMPLES = path.join(import.meta.dirname, "../../www/samples");
const VECADD = path.join(SAMPLES, "vecadd.bmg.zebin");

const elfHeader = (page) => page.getByRole("treeitem", { name: "ELF header" });
const headline = (page) => page.getByRole("list", { name: "Summary" });

async function paste(page, text) {
  await page.evaluate((text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

const bytes = await readFile(VECADD);
const lines = [...bytes].map((byte) => byte.toString(16).padStart(2, "0"));
const PASTED = [
  ["hex digits", lines.join(" ")],
  ["a C array", `{ ${lines.map((byte) => `0x${byte}`).join(", ")} };`],
  ["base64", bytes.toString("base64")],
];
for (const [name, text] of PASTED) {
  journey(`${name} are opened from the clipboard`, {}, async (page) => {
    await paste(page, text);
    await elfHeader(page).waitFor();
  });
}

journey("a pasted file opens; pasted prose is rejected with a message", {}, async (page) => {
  await paste(page, "dear reader, this is no binary");
  await page.getByRole("status").getByText(/neither hex nor base64/i).waitFor();
  await page.evaluate((base64) => {
    const clipboardData = new DataTransfer();
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    clipboardData.items.add(new File([bytes], "pasted.zebin"));
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, bytes.toString("base64"));
  await elfHeader(page).waitFor();
});

journey("the button opens a file", {}, async (page) => {
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: "Open a file" }).click(),
  ]);
  await chooser.setFiles(VECADD);
  await elfHeader(page).waitFor();
});

journey("a file dropped before the app has started opens afterwards", {
  before: async (page) => {
    await page.route("**/app_bg.wasm", async (route) => {
      await page.waitForFunction(() => document.readyState !== "loading");
      const dropped = dropBytes(page, { "early.zebin": bytes });
      await dropped;
      await page.getByRole("status").getByText("Opening early.zebin").waitFor();
      await route.continue();
    });
  },
}, async (page) => {
  await elfHeader(page).waitFor();
  await page.getByRole("banner").getByText("early.zebin").waitFor();
});

journey("a click on a sample before the app has started opens it afterwards", {
  before: async (page) => {
    await page.route("**/app_bg.wasm", async (route) => {
      await page.getByRole("button", { name: "Spilling kernels" }).click();
      await route.continue();
    });
    expectRequests(page, /samples\/spill\.dg2\.zebin$/);
  },
}, async (page) => {
  await page.getByRole("treeitem", { name: /^\.text\.spill/ }).waitFor();
});

// -- Links --------------------------------------------------------------------

const LINK = "?url=samples/vecadd.bmg.zebin";

journey("?url= opens a file; its fragment selects a value", {
  address: `${LINK}#p=.ze_info/version`,
  before: (page) => expectRequests(page, /samples\/vecadd/),
}, async (page) => {
  await elfHeader(page).waitFor();
  await page.locator("[role=treeitem][aria-selected=true]").getByText("version").waitFor();
  const marks = await page.locator("#hex .h .fs").allTextContents();
  const text = Buffer.from(marks.join("").replaceAll(/\s/g, ""), "hex").toString();
  assert.match(text, /^'?1\.\d+'?$/);
  await axe(page);
});

journey("a failed download shows the server's status", {
  address: "?url=samples/missing.zebin",
  before: (page) => {
    expectRequests(page, /missing/);
    expectErrors(page, /404/);
  },
}, async (page) => {
  const alert = page.getByRole("alert");
  await alert.getByText(/returned 404/).waitFor();
  await alert.getByRole("button", { name: "Try again" }).waitFor();
  await axe(page);
});

journey("a download that CORS forbids is explained", {
  address: "?url=https://files.example.com/a.zebin",
  before: (page) => {
    expectRequests(page, /files\.example\.com/);
    expectErrors(page, /CORS|ERR_FAILED|Failed to load|fetch/i);
  },
}, async (page) => {
  const alert = page.getByRole("alert");
  await alert.getByText(/does not allow other sites to read its files/).waitFor();
  await alert.getByText(/Access-Control-Allow-Origin/).waitFor();
  await axe(page);
});

journey("an invalid address is rejected without a request", {}, async (page) => {
  await page.getByRole("button", { name: "Open from URL" }).click();
  await page.getByRole("textbox", { name: "File URL" }).fill("javascript:alert(1)");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText(/not a URL that this page can open/).waitFor();
});

journey("a slow download shows its progress and can be canceled", {
  before: async (page) => {
    expectRequests(page, /slow\.zebin/);
    await page.route("**/slow.zebin", () => {}); // It never answers.
  },
}, async (page) => {
  await page.getByRole("button", { name: "Open from URL" }).click();
  await page.getByRole("textbox", { name: "File URL" }).fill("samples/slow.zebin");
  await page.keyboard.press("Enter");
  await page.getByRole("progressbar").waitFor();
  await page.getByRole("heading", { name: "Opening slow.zebin" }).waitFor();
  await axe(page);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("heading", { name: /Drop a \.zebin/ }).waitFor();
});

// -- Files of unknown format ----------------------------------------------------

const ODD = [
  ["an empty file", new Uint8Array(0), /empty/i],
  ["one byte", new Uint8Array(1), /zero bytes/i],
  ["a text", new TextEncoder().encode("kernels:\n- name: a\n".repeat(40)), /raw|unknown|text/i],
  ["the first 100 bytes of a zebin", bytes.subarray(0, 100), /ELF|zebin/i],
  ["half of an ELF header", bytes.subarray(0, 30), /ELF/i],
];
for (const [name, content, words] of ODD) {
  journey(`${name} opens like any other file`, {}, async (page) => {
    await dropBytes(page, { "odd.bin": content });
    await headline(page).getByText(words).first().waitFor();
    await page.getByRole("tree").waitFor();
    await axe(page);
  });
}

journey("a name with control characters is shown escaped", {}, async (page) => {
  await dropBytes(page, { "evil\u202egnp.zebin": bytes });
  await elfHeader(page).waitFor();
  const crumb = await page.getByRole("banner").innerText();
  assert.ok(!crumb.includes("\u202e"), "the override is not shown as it is");
  assert.match(crumb, /\\u\{202e\}/i);
});
