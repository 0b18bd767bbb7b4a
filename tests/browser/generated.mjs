// Zebins of any size, derived from small ones.

/** A zebin whose .ze_info, moved to its end, describes `count` kernels. */
export function withKernels(bytes, count, name = (i) => `kernel_${i}`, spill = (i) => (i * 7919) % 5000) {
  const elf = Buffer.from(bytes);
  const table = Number(elf.readBigUInt64LE(0x28));
  const [size, sections] = [elf.readUInt16LE(0x3a), elf.readUInt16LE(0x3c)];
  const lines = ["---\nversion: '1.73'\nkernels:\n"];
  for (let i = 0; i < count; i++) {
    lines.push(`  - name: ${name(i)}\n    execution_env:\n      simd_size: 16\n      grf_count: 128\n      spill_size: ${spill(i)}\n`);
  }
  const text = Buffer.from(lines.join("") + "...\n");
  for (let i = 0; i < sections; i++) {
    const at = table + i * size;
    if (elf.readUInt32LE(at + 4) !== 0xff000011) continue;
    elf.writeBigUInt64LE(BigInt(elf.length), at + 24);
    elf.writeBigUInt64LE(BigInt(text.length), at + 32);
  }
  return Buffer.concat([elf, text]);
}

/** A zebin whose first relocation table, moved to its end, has `count` more entries. */
export function withRelocations(bytes, count) {
  const elf = Buffer.from(bytes);
  const table = Number(elf.readBigUInt64LE(0x28));
  const [size, sections] = [elf.readUInt16LE(0x3a), elf.readUInt16LE(0x3c)];
  const list = Buffer.alloc(16 * count);
  for (let i = 0; i < count; i++) {
    list.writeBigUInt64LE(BigInt(8 * i), 16 * i);
    list.writeUInt32LE(1 + (i % 7), 16 * i + 8);
    list.writeUInt32LE(1 + (i % 5), 16 * i + 12);
  }
  for (let i = 0; i < sections; i++) {
    const at = table + i * size;
    if (elf.readUInt32LE(at + 4) !== 9) continue;
    elf.writeUInt32LE(9, at + 4);
    elf.writeBigUInt64LE(BigInt(elf.length), at + 24);
    elf.writeBigUInt64LE(BigInt(list.length), at + 32);
    break;
  }
  return Buffer.concat([elf, list]);
}

/** A zebin whose first code section, moved to its end, repeats its instructions at least `count` times. */
export function withCode(bytes, count) {
  const elf = Buffer.from(bytes);
  const table = Number(elf.readBigUInt64LE(0x28));
  const [size, sections] = [elf.readUInt16LE(0x3a), elf.readUInt16LE(0x3c)];
  for (let i = 0; i < sections; i++) {
    const at = table + i * size;
    if (elf.readUInt32LE(at + 4) !== 1 || (elf.readBigUInt64LE(at + 8) & 4n) === 0n) continue;
    const [start, length] = [Number(elf.readBigUInt64LE(at + 24)), Number(elf.readBigUInt64LE(at + 32))];
    // Bytes after the last complete instruction.
    const own = elf.subarray(start, start + length - (length % 16));
    const code = Buffer.alloc(own.length * Math.ceil((16 * count) / own.length), own);
    elf.writeBigUInt64LE(BigInt(elf.length), at + 24);
    elf.writeBigUInt64LE(BigInt(code.length), at + 32);
    return Buffer.concat([elf, code]);
  }
  throw new Error("there is no code");
}

/** An archive in ocloc's format with members of these names and bytes. */
export function archive(members) {
  const parts = [Buffer.from("!<arch>\n")];
  for (const [name, bytes] of members) {
    const field = (text, length) => String(text).padEnd(length);
    const head = field(`${name}/`, 16) + field(0, 12) + field(0, 6) + field(0, 6) + field(644, 8) + field(bytes.length, 10) + "`\n";
    parts.push(Buffer.from(head), Buffer.from(bytes));
    if (bytes.length % 2) parts.push(Buffer.from("\n"));
  }
  return Buffer.concat(parts);
}
