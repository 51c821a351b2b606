import type { Field, Fields } from './field.js';
import { isSealed, type StoredHeaders } from './headers.js';

/** A secret that a noun has. */
export interface HeldSecret {
  /** Its place among the fields: the group, or the field itself outside of groups. */
  group: string;
  field: string;
  /** The header whose value it is, one of several in the field; null: the field is the secret. */
  header: string | null;
}

/** The secrets among stored values, of fields and of members of groups. @param read the stored value of a field */
export const secretsOf = (fields: Fields, read: (field: string) => unknown): HeldSecret[] =>
  Object.entries(fields).flatMap(([group, one]) =>
    Object.entries(one.kind === 'group' ? (one.fields as Readonly<Record<string, Field>>) : { [group]: one }).flatMap(
      ([field, member]) => headersOf(member, read(field) ?? null).map((header) => ({ group, field, header })),
    ),
  );

function headersOf({ kind, secret }: Field, value: unknown): (string | null)[] {
  if (value === null) {
    return [];
  }
  if (kind === 'headers') {
    return Object.entries(value as StoredHeaders).flatMap(([name, header]) => (isSealed(header) ? [name] : []));
  }
  return secret || kind === 'auth' ? [null] : [];
}
