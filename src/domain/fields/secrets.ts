import type { Field, Fields, Group } from './field.js';
import { isSealed, type StoredHeaders } from './headers.js';

/** A secret that a noun has. */
export interface HeldSecret {
  /** Where it stands among the fields. */
  group: string;
  field: string;
  /** The header whose value it is, one of several in the field; null: the field is the secret. */
  header: string | null;
}

/** The secrets among stored values. Fields outside of groups have none. @param read the stored value of a field */
export const secretsOf = (fields: Fields, read: (field: string) => unknown): HeldSecret[] =>
  Object.entries(fields)
    .filter((entry): entry is [string, Group] => entry[1].kind === 'group')
    .flatMap(([group, { fields: members }]) =>
      Object.entries(members).flatMap(([field, one]) =>
        headersOf(one, read(field) ?? null).map((header) => ({ group, field, header })),
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
