import { comparisonsIn, compileFilter, compilePath, compilingOf } from '../../domain/content/compile-filter.js';
import { asksChanges, type EventFilter } from '../../domain/content/filter.js';
import type { StoredShape } from '../../domain/content/shape/project.js';
import { storedAuth } from '../../domain/fields/auth.js';
import type { Field, Kind } from '../../domain/fields/field.js';
import { storedHeaders } from '../../domain/fields/headers.js';
import type { Webhook } from '../../entities/webhook.js';
import type { SqlTarget } from '../../platform/database/database.js';
import { auditedAuth, mergeAuth } from './auth-settings.js';
import { changeContent } from './content-settings.js';
import { auditedHeaders, mergeHeaders } from './header-settings.js';
import { auditedTls, mergeTls, tlsColumns } from './tls-settings.js';

type Values = Readonly<Record<string, unknown>>;

/**
 * Columns that are made from a setting.
 *
 * @param value null: it is removed
 * @param changes of the options row, all of them
 * @param webhook as it was, with its options row
 */
type Derive = (value: never, changes: Values, webhook: Webhook, sql: SqlTarget) => Values | Promise<Values>;

/** How a kind is stored. Values are never null. */
interface StoredKind {
  /** The form in which a value is stored, with open secrets. */
  toStore(written: never): unknown;
  /** The value after a change. */
  merged(before: never, change: never): unknown;
  /** Null: the same in the audit log, but for secrets. @param other on the other side of the change */
  audited: ((value: never, other: never) => unknown) | null;
  derive: Derive | null;
}

const plain: StoredKind = {
  toStore: (written) => written,
  merged: (_, change) => change,
  audited: null,
  derive: null,
};

const filterColumns: Derive = (filter: EventFilter | null) => ({
  filterPath: filter && compileFilter(filter),
  filterComparisons: filter && comparisonsIn(filter),
  filterCompiling: filter && compilingOf(filter),
  filterChanges: filter && (asksChanges(filter) || null),
});
const orderingColumn: Derive = (path: string | null) => ({ orderingPath: path === null ? null : compilePath(path) });
/** One row is made of all settings of the content; the format is a choice, and the release a text. */
const contentRow: Derive = (_, changes, webhook, sql) => changeContent(sql, webhook, changes);

const kinds: Record<Exclude<Kind, 'group'>, StoredKind> = {
  text: { ...plain, derive: contentRow },
  url: plain,
  eventTypes: plain,
  textMap: plain,
  number: plain,
  delays: plain,
  choice: { ...plain, derive: contentRow },
  boolean: plain,
  headers: { toStore: storedHeaders, merged: mergeHeaders, audited: auditedHeaders, derive: null },
  auth: { toStore: storedAuth, merged: mergeAuth, audited: auditedAuth, derive: null },
  tls: { ...plain, merged: mergeTls, audited: auditedTls, derive: tlsColumns },
  filter: { ...plain, derive: filterColumns },
  message: { ...plain, derive: contentRow },
  template: { ...plain, derive: contentRow },
  shape: { ...plain, audited: ({ text }: StoredShape) => text, derive: contentRow },
  path: { ...plain, derive: orderingColumn },
};

export const storedKind = ({ kind }: Pick<Field, 'kind'>) => kinds[kind];
