// Writes zip archives.

import { crc32, deflateRawSync } from "node:zlib";

/**
 * A zip archive of deflated files.
 *
 * @param {Record<string, Buffer>} files by name
 */
export function zip(files) {
  const locals = [];
  const central = [];
  let offset = 0;
  for (const [name, bytes] of Object.entries(files)) {
    const data = deflateRawSync(bytes);
    // From the flags to the length of the name (APPNOTE.TXT, 4.3.7); the extra field is empty.
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(8, 4);
    head.writeUInt32LE(crc32(bytes), 10);
    head.writeUInt32LE(data.length, 14);
    head.writeUInt32LE(bytes.length, 18);
    head.writeUInt16LE(name.length, 22);
    locals.push(Buffer.from("PK\x03\x04"), head, Buffer.from(name), data);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    central.push(Buffer.from("PK\x01\x02\x14\x00"), head, rest, Buffer.from(name));
    offset += 30 + name.length + data.length;
  }
  const entries = Buffer.concat(central);
  const end = Buffer.alloc(18);
  const count = Object.keys(files).length;
  end.writeUInt16LE(count, 4);
  end.writeUInt16LE(count, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, entries, Buffer.from("PK\x05\x06"), end]);
}
