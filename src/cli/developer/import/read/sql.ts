import { readFileSync } from 'node:fs';
import pg from 'pg';
import { flat } from '../../../../domain/fields/field-table.js';
import { webhookFields } from '../../../../domain/fields/webhook-fields.js';
import { type LineKind, lineKindOf } from '../lines/line-kinds.js';
import { isWanted, type Reading, type ReadOptions } from './reading.js';

/** Reads own tables by a query whose columns have the names of a line's fields (docs/from-your-own.md). */

export interface SqlOptions extends ReadOptions {
  /** A file with the query. */
  query: string;
}

const URL_VARIABLE = 'IMPORT_DATABASE_URL';

/** Values of columns, by the fields of a line. */
const COLUMN_OF: Readonly<Record<string, Column>> = {
  ...{ from: 'text', tenantExternalId: 'text', tenantName: 'text' },
  ...{ secret: 'text', previousSecret: 'text', previousSecretExpiresAt: 'text' },
  ...{ events: 'words', notes: 'words', active: 'boolean', ordering: 'json' },
  ...Object.fromEntries(
    flat(webhookFields)
      .filter(([name, , place]) => place !== 'ordering' && name !== 'eventTypes')
      .map(([name, field]) => [name, lineKindOf(field).column]),
  ),
};
const COLUMNS = Object.keys(COLUMN_OF);
const REQUIRED = ['tenantExternalId', 'externalId', 'url', 'events'];

type Column = LineKind['column'];
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
  return typedBy[COLUMN_OF[field]!](value);
}

/** Names or numbers with commas between them. */
const listOf = (value: unknown): unknown =>
  typeof value === 'string' ? value.split(',').map((part) => part.trim()) : value;

const typedBy: Record<Column, (value: unknown) => unknown> = {
  text: (value) => (value instanceof Date ? value.toISOString() : String(value)),
  number: Number, // a numeric comes as a text
  words: listOf,
  numbers: (value) => {
    const list = value === '' ? null : listOf(value);
    return Array.isArray(list) ? list.map(Number) : list;
  },
  json: (value) => (typeof value === 'string' ? parsed(value) : value),
  boolean: (value) => value,
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
