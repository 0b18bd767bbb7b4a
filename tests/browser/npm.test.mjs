// The npm package: packed, installed into an empty folder, used in Node.

import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { atEnd, test } from "./harness.mjs";
import { installPackage, run } from "./package.mjs";

const SAMPLES = path.join(import.meta.dirname, "../../www/samples");
let folder = null;
atEnd(() => folder && rm(folder, { recursive: true }));

/** Runs a script in the folder of the installed package and returns its JSON output. */
async function node(script) {
  const body = `
    import { readFile } from "node:fs/promises";
    import { ZeviewDocument } from "zeview";
    const sample = (name) => readFile(${JSON.stringify(`${SAMPLES}/`)} + name);
    const print = (value) => console.log(JSON.stringify(value, (_, v) => typeof v === "bigint" ? v + "n" : v));
    ${script}`;
  await writeFile(path.join(folder, "use.mjs"), body);
  const { stdout } = await run("node", ["use.mjs"], { cwd: folder });
  return JSON.parse(stdout);
}

test("the package installs and runs in Node", async () => {
  folder = await installPackage();
  const said = await node(`
    const opened = await ZeviewDocument.open(await sample("spill.dg2.zebin"), { name: "spill" });
    const kernels = opened.kernels({ sort: "-private_size" });
    const [header] = opened.children(0, 0, 1);
    print({
      summary: opened.summary(),
      kernels: kernels.map(({ name, private_size }) => [name, private_size]),
      filtered: opened.kernels({ filter: "private_size>1000000" }).map(({ name }) => name),
      counted: [opened.kernels()[0].instructions ?? "none", opened.kernels({ columns: ["instructions"] })[0].instructions],
      images: opened.images(),
      verdict: opened.verdict(),
      other: opened.verdict("pvc").outcome,
      header: [header.name, opened.nodesAt(0, 1)[0], [...opened.bytes(0, 1, 4)]],
      assembly: opened.disassemble("hugeprivate").split("\\n").length,
      problems: opened.diagnostics().length,
      text: opened.toText().length,
      json: JSON.parse(opened.toJson()).name,
    });
    opened.free();
  `);
  assert.equal(said.summary.format, "zebin");
  assert.deepEqual(said.kernels[0], ["hugeprivate", 5120000]);
  assert.deepEqual(said.filtered, ["hugeprivate"]);
  assert.equal(said.counted[0], "none");
  assert.ok(said.counted[1] > 10, said.counted);
  assert.deepEqual(said.images, []);
  assert.equal(said.verdict.device, "acm-g10");
  assert.equal(said.verdict.outcome, "loads");
  assert.notEqual(said.other, "loads");
  assert.deepEqual(said.header, ["ELF header", 0, [0x45, 0x4c, 0x46]]);
  assert.ok(said.assembly > 100 && said.text > 1000, JSON.stringify(said).slice(0, 300));
  assert.equal(said.json, "spill");
});

test("a kernel has any name", { timeout: 40_000 }, async () => {
  const fixtures = path.join(import.meta.dirname, "../fixtures/naming");
  const wrong = await node(`
    const folder = ${JSON.stringify(`${fixtures}/`)};
    const cases = JSON.parse(await readFile(folder + "cases.json", "utf8"));
    const code = (f) => { try { return f(); } catch (error) { return error.code; } };
    const wrong = [];
    for (const one of cases) {
      if (one.file.endsWith("/")) continue;
      const opened = await ZeviewDocument.open(await readFile(folder + one.file));
      const plain = code(() => opened.kernel(one.name).name);
      const found = code(() => opened.kernel(one.name, one.options).name);
      const lines = code(() => opened.disassemble(one.name, one.options).length > 0);
      const flow = code(() => opened.disassemble(one.name, { ...one.options, dataflow: true }).length > 0);
      const several = one.builds > 1 ? "several-kernels" : one.finds ?? "no-kernel";
      const text = one.finds === null ? "no-kernel" : one.has_code ? true : "no-code";
      const expected = [several, one.finds ?? "no-kernel", text, text];
      if (JSON.stringify([plain, found, lines, flow]) !== JSON.stringify(expected)) wrong.push([one.file, one.way, plain, found, lines, flow]);
      opened.free();
    }
    print(wrong);
  `);
  assert.deepEqual(wrong, []);
});

test("mistakes have the words of the command line", { timeout: 40_000 }, async () => {
  const table = path.join(import.meta.dirname, "../fixtures/mistakes/cases.json");
  const cases = JSON.parse(await readFile(table, "utf8")).filter(({ call }) => call !== null);
  const said = await node(`
    const opened = await ZeviewDocument.open(await sample("vecadd.bmg.zebin"));
    // Nodes are found by their ids here.
    const cases = ${JSON.stringify(cases)}.filter(({ call }) => call !== "find");
    print(cases.map(({ call, options }) => {
      const { name, query, ...rest } = options;
      try {
        if (call === "check") opened.check(options.device, options.driver);
        else if (call === "find_code") opened.findCode(query, rest);
        else if (name !== undefined) opened[call](name, rest);
        else opened[call](rest);
        return [options, "none"];
      } catch (error) {
        return [options, error.code, error.message];
      }
    }));
  `);
  for (const [options, code, message] of said) {
    const expected = cases.find((one) => JSON.stringify(one.options) === JSON.stringify(options));
    assert.equal(code, expected.code, message);
    assert.ok(message.startsWith(expected.says), message);
  }
  assert.ok(said.length > 7);
});

test("names are those of the Python package; a document is closed once", async () => {
  const said = await node(`
    const opened = await ZeviewDocument.open(await sample("damaged.zebin"), { name: "damaged" });
    const check = opened.check("bmg-g21", "25.18");
    const instructions = await ZeviewDocument.open(await sample("vecadd.bmg.zebin"));
    const [first] = instructions.disassemble("vecadd", { dataflow: true });
    const result = {
      check: [check.verdict, check.device, check.driver, check.problems.length, check.diagnostics ?? "none"],
      problems: opened.problems().map(({ rule, path }) => [rule, path]),
      mnemonic: first.mnemonic,
      closed: [opened.closed],
    };
    opened.free();
    opened.free();
    const code = (call) => { try { call(); return "none"; } catch (error) { return [error.code, error.message]; } };
    result.closed.push(opened.closed, code(() => opened.summary()), code(() => opened.kernels()), code(() => instructions.diff(opened)));
    result.closed.push(await opened.profile(new Uint8Array(1)).then(() => "none", (error) => [error.code, error.message]));
    opened[Symbol.dispose]?.();
    print(result);
  `);
  const [verdict, device, driver, problems, diagnostics] = said.check;
  assert.deepEqual([verdict, device, diagnostics], ["refused", "bmg-g21", "none"]);
  assert.ok(driver.startsWith("25.18"), driver);
  assert.equal(problems, said.problems.length);
  assert.ok(said.problems.every(([rule, path]) => rule.includes("/") && typeof path === "string"));
  assert.equal(said.mnemonic, "mov");
  const closed = ["closed", "the document is closed"];
  assert.deepEqual(said.closed, [false, true, closed, closed, closed, closed]);
});

test("types accept the documented example, and reject names that do not exist", { timeout: 60_000 }, async () => {
  const readme = await readFile(path.join(import.meta.dirname, "../../src/api/npm/README.md"), "utf8");
  const [, example] = readme.match(/```js\n(.*?)```/s);
  const good = `${example}
    import type { KernelRow, Check } from "zeview";
    const row: KernelRow = opened.kernels({ columns: ["instructions"] })[0]!;
    const name: string = row.name;
    const spills: number | null = row.spill_size;
    const counted: number | null | undefined = row.instructions;
    const metric: number | null | undefined = opened.kernels({ columns: ["samples", "XVE_STALL[%]"] })[0]?.["XVE_STALL[%]"];
    const check: Check = opened.check("B580");
    if (check.verdict === "recompiled") console.log(check.problems[0]?.rule, name, spills, counted, metric);
    const file: string = opened.kernel("vecadd", { device: "B580" }).file;
    for (const image of opened.list("images")) console.log(image.target, file);
  `;
  // Each line is an error.
  const bad = [
    "row.spil_size;",
    "opened.kernels({ columns: ['instruction'] });",
    "opened.kernels({ sort: '-spil_size' });",
    "opened.images()[0]!.targt;",
    "opened.list('kernel');",
    "const text: string = row.spill_size;",
    "opened.check().verdict === 'recompild';",
    "opened.diagnostic();",
  ];
  await writeFile(path.join(folder, "good.mts"), good);
  const head = 'import type { KernelRow, ZeviewDocument } from "zeview";\ndeclare const opened: ZeviewDocument;\ndeclare const row: KernelRow;\n';
  await writeFile(path.join(folder, "bad.mts"), head + bad.join("\n"));
  const tsc = path.join(import.meta.dirname, "node_modules/typescript/bin/tsc");
  const options = ["--noEmit", "--strict", "--target", "es2024", "--lib", "es2024,dom,esnext.disposable", "--module", "nodenext", "--types", "node", "--typeRoots", path.join(import.meta.dirname, "node_modules/@types")];
  const compile = (file) => run("node", [tsc, ...options, file], { cwd: folder }).then(({ stdout }) => stdout, ({ stdout }) => stdout);
  assert.equal(await compile("good.mts"), "");
  const errors = await compile("bad.mts");
  for (const [at, line] of bad.entries()) assert.ok(errors.includes(`bad.mts(${at + 4},`), `${line}\n${errors}`);
});

test("rows are those of the decoder's class", { timeout: 40_000 }, async () => {
  const said = await node(`
    const { ZeviewDocument: Decoded } = await import("./node_modules/zeview/decoder.js");
    const found = {};
    for (const name of ["spill.dg2.zebin", "matmul.syclbin", "damaged.zebin"]) {
      const bytes = await sample(name);
      const opened = await ZeviewDocument.open(bytes);
      const decoded = Decoded.open(new Uint8Array(bytes), {});
      for (const list of ["kernels", "relocations", "symbols", "modules", "images", "devices", "source-lines"]) {
        const options = list === "kernels" ? { columns: ["instructions"] } : {};
        const rows = opened.list(list, options);
        found[name + " " + list] = [JSON.stringify(rows) === JSON.stringify(decoded.list(list, options)), rows.length];
      }
    }
    const wrong = (options) => { try { opened.kernels(options); } catch (error) { return error.code; } };
    const opened = await ZeviewDocument.open(await sample("vecadd.bmg.zebin"));
    print({ found, wrong: [wrong({ filter: 1 }), wrong({ columns: "instructions" }), wrong(null) ?? "none"] });
  `);
  for (const [list, [isSame]] of Object.entries(said.found)) assert.ok(isSame, list);
  assert.ok(said.found["spill.dg2.zebin kernels"][1] > 0 && said.found["matmul.syclbin images"][1] > 0);
  assert.deepEqual(said.wrong, ["options", "options", "none"]);
});

test("modules, differences, and errors with codes", async () => {
  const said = await node(`
    const container = await ZeviewDocument.open(new Blob([await sample("matmul.syclbin")]));
    const bytes = await sample("vecadd.bmg.zebin");
    const one = await ZeviewDocument.open(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    const other = await ZeviewDocument.open(await sample("damaged.zebin"));
    const raw = await ZeviewDocument.open(new Uint8Array(8));
    const code = (f) => { try { f(); return "none"; } catch (error) { return [error instanceof Error, error.code]; } };
    print({
      modules: container.modules().length,
      inner: container.kernels().length,
      same: one.diff(one.constructor === other.constructor ? await ZeviewDocument.open(bytes) : null).equal,
      differs: other.diff(one),
      verdict: raw.verdict(),
      codes: {
        node: code(() => one.node(4000000)),
        list: code(() => one.list("nothing")),
        query: code(() => one.kernels({ filter: "no_such_column>3" })),
        column: code(() => one.kernels({ columns: ["no_such_column"] })),
        kernel: code(() => one.disassemble("nothing")),
        device: code(() => one.verdict("nothing")),
        range: code(() => one.bytes(0, -1, 2)),
      },
      type: await ZeviewDocument.open("text").then(() => "opened", (error) => error.name),
    });
  `);
  assert.ok(said.modules > 0 && said.inner > 0);
  assert.equal(said.same, true);
  assert.equal(said.differs.equal, false);
  assert.ok(Array.isArray(said.differs.kernels.changed));
  assert.equal(said.verdict, null);
  for (const [code, found] of Object.entries(said.codes)) {
    const expected = { node: "no-node", list: "no-list", query: "bad-query", column: "no-column", kernel: "no-kernel", device: "no-device", range: "range" };
    assert.deepEqual(found, [true, expected[code]]);
  }
  assert.equal(said.type, "TypeError");
});

test("a profile on the code, compared with an earlier one", async () => {
  const made = path.join(import.meta.dirname, "../fixtures/profiles");
  const said = await node(`
    const bytes = await sample("matmul.csv");
    const opened = await ZeviewDocument.open(await sample("matmul.syclbin"));
    const whole = await opened.profile(bytes);
    const { comparison, before, ...rest } = await opened.profile(new Blob([bytes]), { before: bytes });
    const vecadd = await ZeviewDocument.open(await sample("vecadd.bmg.zebin"));
    const metrics = await vecadd.profile(await readFile(${JSON.stringify(path.join(made, "metrics.csv"))}));
    const other = await ZeviewDocument.open(await sample("vecadd-O0.bmg.zebin"));
    const refused = await other.profile(await readFile(${JSON.stringify(path.join(made, "banner.csv"))}));
    print({
      kernels: whole.kernels.map(({ name, codes }) => [name, codes.length]),
      samples: whole.samples.reduce((a, b) => a + b),
      most: whole.kernels[0].codes[0].instructions.find(({ offset }) => offset === 0x340),
      same: JSON.stringify(rest) === JSON.stringify(whole),
      earlier: before.kernels.length,
      changes: comparison.kernels[0].instructions.filter(({ samples: [a, b] }) => String(a) !== String(b)).length,
      column: opened.kernels({ columns: ["samples"], filter: "samples>0" }).map(({ samples }) => samples),
      metrics: [metrics.metrics.length, metrics.metrics[0].reason],
      time: vecadd.kernels({ columns: ["GpuTime[ns]"] })[0]["GpuTime[ns]"],
      unmatched: refused.unmatched[0].reason,
      damaged: (await opened.profile(new TextEncoder().encode("a,b"))).problems[0],
      type: await opened.profile("text").then(() => "read", (error) => error.name),
    });
  `);
  assert.deepEqual(said.kernels, [["matmul", 1]]);
  assert.equal(said.samples, 12768);
  assert.ok(said.most.causes[0].on.startsWith("$"), JSON.stringify(said.most));
  assert.equal(said.same, true);
  assert.deepEqual([said.earlier, said.changes], [1, 0]);
  // Two images have the same code.
  assert.deepEqual(said.column, [12768, 12768]);
  assert.deepEqual(said.metrics, [3, "no kernel of this name"]);
  assert.equal(said.time, 238000);
  assert.match(said.unmatched, /another build/);
  assert.equal(said.damaged.line, 1);
  assert.equal(said.type, "TypeError");
});
