import type pg from 'pg';

/** Everything that a request could have written, as one text; when a key was last used does not count. */
export async function fingerprint(owner: pg.Pool): Promise<string> {
  const tables = [
    ...['webhooks', 'events', 'deliveries', 'attempts'],
    ...['tenants', 'event_types', 'idempotency_keys', 'audit_log'],
  ];
  const sums = tables.map(
    (table) =>
      `(select count(*) || md5(coalesce(string_agg(t::text, ';' order by t::text), '')) from hookwright.${table} t)`,
  );
  const keys = `(select md5(string_agg((id, scopes, name, revoked_at)::text, ';' order by id)) from hookwright.api_keys)`;
  const { rows } = await owner.query(`select concat_ws(' ', ${[...sums, keys].join(', ')}) as text`);
  return rows[0].text;
}

/** Internals and secrets that no refusal may show. */
export const innards =
  /node_modules|\bat .+:\d+:\d+|\.[jt]s:\d+|\bselect\b .+\bfrom\b|\bwhsec_|hookwright\.\w+|\bhw_\d/i;

/** The texts in a value that are too long to be repeated. */
export function longTexts(value: unknown): string[] {
  if (typeof value === 'string') {
    return value.length > 150 ? [value] : [];
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(longTexts) : [];
}
