import type pg from 'pg';

/**
 * All that the statements of a running process rely on, a line for each: columns with their types, functions with their
 * arguments, values of enums, and the rights of the roles of API and outbox.
 */
export async function schemaPromises(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(`
    select format('column %s %s %s', c.relname, attname, format_type(atttypid, atttypmod)) as line
    from pg_attribute join pg_class c on c.oid = attrelid
    where c.relnamespace = 'hookwright'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition
      and attnum > 0 and not attisdropped
    union all
    select format('function %s(%s) returns %s', p.proname, pg_get_function_arguments(p.oid),
                  pg_get_function_result(p.oid))
    from pg_proc p where p.pronamespace = 'hookwright'::regnamespace
    union all
    select format('value %s of %s', enumlabel, enumtypid::regtype) from pg_enum
    union all
    select format('%s(%s): %s may %s', p.proname, pg_get_function_identity_arguments(p.oid), r.rolname, privilege_type)
    from pg_proc p, aclexplode(proacl) a join pg_roles r on r.oid = a.grantee
    where p.pronamespace = 'hookwright'::regnamespace and r.rolname ~ '^hookwright_'
    union all
    select format('%s %s: %s may %s', c.relname, attname, r.rolname, privilege_type)
    from pg_class c join pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped,
      aclexplode(array_cat(relacl, attacl)) a join pg_roles r on r.oid = a.grantee
    where c.relnamespace = 'hookwright'::regnamespace and not c.relispartition and r.rolname ~ '^hookwright_'`);
  return [...new Set(rows.map(({ line }) => line))].sort();
}

/** The demands of the tables, a line for each: columns that an insert must name, constraints, and unique indexes. */
export async function schemaDemands(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(`
    select format('%s needs %s', c.relname, attname) as line
    from pg_attribute join pg_class c on c.oid = attrelid
    where c.relnamespace = 'hookwright'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and attnum > 0 and not attisdropped and attnotnull and not atthasdef and attidentity = ''
    union all
    select format('%s: %s', c.relname, pg_get_constraintdef(k.oid))
    from pg_constraint k join pg_class c on c.oid = conrelid
    where k.connamespace = 'hookwright'::regnamespace and not c.relispartition and contype <> 'n'
    union all
    select format('%s: %s', c.relname, pg_get_indexdef(indexrelid))
    from pg_index join pg_class c on c.oid = indrelid
    where c.relnamespace = 'hookwright'::regnamespace and not c.relispartition and indisunique`);
  return rows.map(({ line }) => line).sort();
}

/** Whether a promise is kept: by the same line, or by a function with more arguments, which have defaults. */
export function isKept(line: string, promises: readonly string[]): boolean {
  const [, begin, end] = /^(.*)(\)(?: returns |: ).*)$/s.exec(line) ?? [];
  const isExtended = (other: string) =>
    other.startsWith(`${begin}, `) &&
    other.endsWith(end!) &&
    (line.includes(' may ') || / DEFAULT /.test(other.slice(begin!.length, -end!.length)));
  return promises.includes(line) || (begin !== undefined && promises.some(isExtended));
}
