/**
 * A table as Markdown that is also readable on a terminal: the first column to the left, numbers to the right.
 * @param {readonly string[]} head
 * @param {ReadonlyArray<ReadonlyArray<string | number | undefined>>} rows numbers get one decimal; undefined is a dash
 */
export function table(head, rows) {
  const cells = [head, ...rows.map(row => row.map(text))];
  const widths = head.map((_, column) => Math.max(3, ...cells.map(row => row[column].length)));
  const line = row =>
    `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join(' | ')} |`;
  const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(cells[0]), rule, ...cells.slice(1).map(line)].join('\n');
}

function text(cell) {
  if (cell === undefined) return '-';
  return typeof cell === 'number' ? cell.toFixed(1) : cell;
}
