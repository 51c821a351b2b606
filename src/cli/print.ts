/** Writes a command's answer to standard output. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/**
 * A line for each row, its columns separated by tabs. Headings appear on a terminal only, and the sentence for an empty
 * list on standard error, so that programs read rows alone.
 *
 * @param nothing the sentence for an empty list
 */
export function printList(headings: readonly string[], rows: readonly (readonly unknown[])[], nothing: string): void {
  if (rows.length === 0) {
    process.stderr.write(`${nothing}\n`);
    return;
  }
  if (process.stdout.isTTY) {
    const table = [headings, ...rows].map((row) => row.map(String));
    const widths = headings.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
    for (const row of table) {
      print(
        row
          .map((text, column) => text.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd(),
      );
    }
    return;
  }
  for (const row of rows) {
    print(row.join('\t'));
  }
}
