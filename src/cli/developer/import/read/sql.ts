import { readFileSync } from 'node:fs';
import pg from 'pg';
import { isWanted, type Reading, type ReadOptions } from './reading.js';

/** Reads own tables by a query whose columns have the names of a line's fields (docs/from-your-own.md). */

export interface SqlOptions extends ReadOptions {
  /** A file with the query. */
  query: string;
}

const URL_VARIABLE = 'IMPORT_DATABASE_URL';

const TEXTS = [
  ...['from', 'externalId', 'url', 'secret', 'previousSecret', 'previousSecretExpiresAt', 'compat'],
  ...['name', 'description', 'release', 'tenantExternalId', 'tenantName'],
];
const LISTS = ['events', 'notes'];
const NUMBERS = ['ratePerSecond', 'timeoutMs'];
const OBJECTS = ['metadata', 'headers', 'auth', 'tls', 'filter'];
const COLUMNS = [...TEXTS, ...LISTS, ...NUMBERS, ...OBJECTS, 'active'];
const REQUIRED = ['tenantExternalId', 'externalId', 'url', 'events'];

type Row = Readonly<Record<string, unknown>>;

/** @throws Error with a sentence, which has no value of a row */
export async function* readSql(options: SqlOptions): Reading {
  const rows = await rowsOf(options.query);
  const columns = Object.keys(rows[0] ?? {}).map((name) => [name, fieldOf(name)] as const);
  const unknown = columns.filter(([, field]) => !COLUMNS.includes(field)).map(([name]) => name);
  const missing = REQUIRED.filter((field) => rows.length > 0 && !columns.some(([, named]) => named === field));
  if (unknown.length + missing.length > 0) {
    const words = [
      ...(unknown.length > 0 ? [`has columns that no line has (${unknown.join(', ')})`] : []),
      ...(missing.length > 0 ? [`lacks columns (${missing.map(columnOf).join(', ')})`] : []),
    ];
    throw new Error(
      `The query of ${options.query} ${words.join(', and ')}. It may have: ${COLUMNS.map(columnOf).join(', ')}.`,
    );
  }
  for (const [index, row] of rows.entries()) {
    const values = Object.fromEntries(columns.map(([name, field]) => [field, typed(field, row[name])]));
    const { tenantExternalId, tenantName, from, ...rest } = values;
    if (isWanted(options, String(tenantExternalId))) {
      const tenant = { externalId: tenantExternalId, name: tenantName };
      const head = { v: 1, from: String(from ?? `sql:${index + 1}`), tenant };
      // As a left join makes it for a tenant without webhooks.
      const isTenant = [rest['externalId'], rest['url'], rest['events']].every((value) => value === null);
      yield { row: isTenant ? head : { ...head, ...rest } };
    }
  }
}

async function rowsOf(file: string): Promise<Row[]> {
  const connectionString = process.env[URL_VARIABLE];
  if (!connectionString) {
    throw new Error(`Name the database to read in the environment variable ${URL_VARIABLE}.`);
  }
  const client = new pg.Client({ connectionString, application_name: 'hookwright import' });
  try {
    await client.connect();
    await client.query('begin transaction read only');
    return (await client.query<Row>(readFileSync(file, 'utf8'))).rows;
  } catch (error) {
    throw new Error(`The query of ${file} cannot be read: ${sentenceOf(error as pg.DatabaseError)}.`);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Messages about data quote values, such as secrets; those about syntax, names and connections do not. */
const sentenceOf = ({ code, message }: Pick<pg.DatabaseError, 'code' | 'message'>) =>
  code === undefined || !/^[0-9A-Z]{5}$/.test(code) || /^(08|25|28|3D|42|57)/.test(code)
    ? message
    : `Postgres refuses it (${code})`;

/** `external_id` is `externalId`, and so is `externalid`: without quotes Postgres knows small letters alone. */
const fieldOf = (column: string): string =>
  COLUMNS.find((field) => field.toLowerCase() === column.replaceAll('_', '').toLowerCase()) ?? column;

const columnOf = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A value of the type that a line's field has, as far as it is one: the schema of lines says what is wrong. */
function typed(field: string, value: unknown): unknown {
  if (value === null || value === undefined) {
    return null;
  }
  if (TEXTS.includes(field)) {
    return value instanceof Date ? value.toISOString() : String(value);
  }
  if (NUMBERS.includes(field)) {
    return Number(value); // a numeric comes as a text
  }
  if (LISTS.includes(field) && typeof value === 'string') {
    return value.split(',').map((part) => part.trim());
  }
  return OBJECTS.includes(field) && typeof value === 'string' ? parsed(value) : value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
