import type { Field, Fields } from '../../../domain/fields/field.js';
import { flat } from '../../../domain/fields/field-table.js';
import { ApiError } from '../../../errors.js';
import { olderDaemon } from '../../../operations/installation/daemons.js';
import { type Context, callerOf } from '../../context/context.js';

/**
 * Requires that all daemons know the fields that are set. An older one would call the endpoint as if they were not set,
 * and its failures would disable the webhook.
 *
 * @param values of fields by their names, those of groups among them; null and the default set nothing
 * @throws ApiError older_daemons
 */
export async function requireNewDaemons(context: Context, fields: Fields, values: object): Promise<void> {
  const sets = ([name, { since, default: unset }]: [string, Field, string]) => {
    const value = (values as Readonly<Record<string, unknown>>)[name];
    return since !== undefined && value != null && value !== unset;
  };
  const set = flat(fields).filter(sets);
  const older =
    set.length === 0
      ? null
      : await olderDaemon(
          context.db,
          set.map(([name]) => name),
        );
  if (older === null) {
    return;
  }
  const names = set.map(([name, { since }]) => `${name} (from ${since} on)`).join(', ');
  // Hosts are the operator's.
  const where = callerOf(context).tenantId === null ? ` on ${older.host}` : '';
  const detail = `A daemon of version ${older.version}${where} does not know ${names}. Upgrade it, and try again when it has ended.`;
  throw new ApiError('older_daemons', detail);
}
