// The page explains why it cannot start.

import { axe, expectErrors, journey } from "./harness.mjs";

async function withoutProgram(page) {
  expectErrors(page, /app_bg\.wasm/, /Failed to fetch/);
  await page.route("**/app_bg.wasm", (route) => route.abort());
}

async function withoutWebAssembly(page) {
  expectErrors(page, /WebAssembly is not defined/);
  await page.addInitScript(() => delete globalThis.WebAssembly);
}

async function withDamagedProgram(page) {
  expectErrors(page, /CompileError/);
  await page.route("**/app_bg.wasm", (route) => route.fulfill({ contentType: "application/wasm", body: "no wasm" }));
}

const CASES = [
  ["the program is missing", withoutProgram, "could not be loaded"],
  ["the browser has no WebAssembly", withoutWebAssembly, "has no WebAssembly"],
  ["the program is damaged", withDamagedProgram, "cannot run the program"],
];

for (const [name, before, words] of CASES) {
  journey(`a message is shown if ${name}`, { before }, async (page) => {
    await page.getByRole("alert").getByText(words).waitFor();
    await axe(page);
  });
}
