// Rows of a list, from its columns.

// Kinds of cells, as in `columns.rs`.
const [NULL, FALSE, TRUE, NUMBER, TEXT] = [0, 1, 2, 3, 4];

/** Returns the rows of `ZeviewDocument.table` as objects. */
export function rowsOf([count, columns, unknown]) {
  // Engines copy an object with all of its keys at once; adding each to each row takes ten times as long.
  const empty = Object.fromEntries(columns.map(([id]) => [id, null]));
  const rows = Array.from({ length: count }, () => ({ ...empty }));
  for (const [id, kinds, numbers, text, ends, others] of columns) {
    let number = 0;
    let string = 0;
    let start = 0;
    let other = 0;
    for (let row = 0; row < count; row += 1) {
      let value = null;
      switch (kinds[row]) {
        case NULL: break;
        case FALSE: value = false; break;
        case TRUE: value = true; break;
        case NUMBER: value = numbers[number++]; break;
        case TEXT: value = text.slice(start, start = ends[string++]); break;
        default: value = others[other++];
      }
      rows[row][id] = value;
    }
  }
  for (const { row, column, reason } of unknown) (rows[row].unknown ??= {})[column] = reason;
  return rows;
}
