/** The columns of an exported list, each with the field of a delivery that it shows. */
const COLUMNS = [
  'id',
  'status',
  'eventType',
  'eventId',
  'webhookId',
  'url',
  'path',
  'attemptCount',
  'lastStatusCode',
  'lastErrorCode',
  'createdAt',
  'nextAttemptAt',
  'finishedAt',
  'cancelReason',
] as const;

type Column = (typeof COLUMNS)[number];

/** A delivery of a list, as far as it is exported. */
export type ExportedRow = {
  readonly [column in Exclude<Column, 'url'>]?: string | number | null | undefined;
} & {
  readonly webhook?: { readonly url: string } | null | undefined;
};

/** The rows as a JSON list of flat objects, one on each line. */
export function toJson(rows: readonly ExportedRow[]): string {
  const lines = rows.map((row) =>
    JSON.stringify(Object.fromEntries(COLUMNS.map((column) => [column, fieldOf(row, column) ?? null]))),
  );
  return `[\n${lines.join(',\n')}\n]\n`;
}

/**
 * The rows as CSV (RFC 4180, with a heading). A text that a spreadsheet would take for a formula begins with an
 * apostrophe: event types and urls come from other people.
 */
export function toCsv(rows: readonly ExportedRow[]): string {
  const lines = rows.map((row) => COLUMNS.map((column) => cell(fieldOf(row, column))).join(','));
  return [COLUMNS.join(','), ...lines, ''].join('\r\n');
}

function fieldOf(row: ExportedRow, column: Column): string | number | null | undefined {
  return column === 'url' ? row.webhook?.url : row[column];
}

function cell(value: string | number | null | undefined): string {
  if (typeof value !== 'string') {
    return String(value ?? '');
  }
  const text = /^[\s=+\-@|%]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
