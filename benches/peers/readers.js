// JavaScript ELF readers: the same script in Node and in Chromium, next to the libraries in
// `target/bench/peers`.
//
// All list sections and symbols with names, and relocations; all except `elfinfo`, which does not
// read notes, also list notes. zeview also reads `.ze_info`, checks the file and resolves
// relocations; `decoded` additionally requests data that the others do not decode.

/** After the first run there are so many more; the last of them is warm. */
const MORE = 10;

// Kaitai's parsers require it.
globalThis.self ??= globalThis;

const READERS = { zeview: () => zeview(false), decoded: () => zeview(true), kaitai, elfinfo };

/**
 * The milliseconds of a reader's first file, from its loading on, of its last one, and what it has
 * found.
 */
export async function measure(name, bytes) {
  const start = performance.now();
  const read = await READERS[name]();
  const found = await read(bytes);
  const cold = performance.now() - start;
  let warm = null;
  for (let i = 0; i < MORE; i++) {
    const start = performance.now();
    await read(bytes);
    warm = performance.now() - start;
  }
  return { cold, warm, found };
}

async function zeview(isAll) {
  const entry = typeof process === "undefined" ? "index.js" : "node.js";
  const { ZeviewDocument } = await import(`./zeview/${entry}`);
  return async (bytes) => {
    const opened = await ZeviewDocument.open(bytes);
    const children = (id) => {
      const all = [];
      for (let page = [null]; page.length > 0; all.push(...page)) page = opened.children(id, all.length);
      return all;
    };
    const parts = children(0);
    const headers = parts.find(({ name }) => name === "section headers");
    const notes = parts.filter(({ name, kind }) => name.startsWith(".note") && kind === "table");
    const found = {
      sections: children(headers.id).length,
      symbols: opened.list("symbols").length,
      relocations: opened.list("relocations").length,
      notes: notes.flatMap(({ id }) => children(id)).length,
    };
    if (isAll) {
      found.kernels = opened.kernels().length;
      found.verdict = opened.verdict().outcome;
      found.problems = opened.diagnostics().length;
    }
    opened.free();
    return found;
  };
}

async function kaitai() {
  await import("./KaitaiStream.js");
  await import("./Elf.js");
  const { KaitaiStream, Elf: { Elf } } = globalThis;
  const { SYMTAB, REL, RELA, NOTE } = Elf.ShType;
  return (bytes) => {
    const { sectionHeaders } = new Elf(new KaitaiStream(bytes.buffer)).header;
    const found = { sections: 0, symbols: 0, relocations: 0, notes: 0, failed: [] };
    for (const section of sectionHeaders) {
      // Values are decoded lazily.
      const { name, type } = section;
      found.sections += 1;
      try {
        const { entries = [] } = section.body;
        if (type === REL || type === RELA) found.relocations += entries.length;
        if (type === NOTE) found.notes += entries.length;
        // Skip the null symbol.
        if (type === SYMTAB) found.symbols += entries.slice(1).map(({ name }) => name).length;
      } catch (error) {
        found.failed.push(`${name}: ${error.message}`);
      }
    }
    return found;
  };
}

async function elfinfo() {
  const { default: elfinfo } = await import("./elfinfo.js");
  return async (bytes) => {
    const { elf: { sections } } = await elfinfo.open(bytes);
    const count = (key) => sections.reduce((sum, section) => sum + (section[key]?.length ?? 0), 0);
    return { sections: sections.length, symbols: count("symbols") - 1, relocations: count("relocations") };
  };
}
