import type pg from 'pg';
import { query, type Statement } from '../../../platform/database/database.js';

interface Named {
  type: string;
  /** Null: any that there is. */
  version: number | null;
}

const typesStatement: Statement = {
  text: `
    select distinct type, version from (
      select unnest(w.event_types) as type, null::integer as version from hookwright.webhooks w where w.tenant_id = $1
      union all select s.event_type, s.type_version from hookwright.scheduled_events s where s.tenant_id = $1
      union all select e.event_type, e.type_version from hookwright.events e where e.tenant_id = $1
    ) named
    where exists (select from hookwright.event_types t where t.name = named.type and not t.reserved)
    order by 1, 2`,
};

const releasesStatement: Statement = {
  text: `
    select distinct r.name from hookwright.releases r
    where r.name in (select o.release from hookwright.webhook_options o where o.tenant_id = $1 and o.release is not null
                     union select c.release from hookwright.webhook_contents c where c.tenant_id = $1 and c.release is not null)`,
};

/** A digest of each version of a type, with its converter. */
const versionsStatement: Statement = {
  text: `
    select v.event_type || ' version ' || v.version as name, v.event_type as type, v.version,
           md5(coalesce(v.schema, '') || E'\\n' || coalesce(v.converter::text, '')) as digest
    from hookwright.event_type_versions v where v.event_type = any($1::text[])`,
};

const membersStatement: Statement = {
  text: `
    select 'release ' || r.name as name,
           md5(string_agg(v.event_type || ' ' || v.version, E'\\n' order by v.event_type collate "C")) as digest
    from hookwright.releases r left join hookwright.release_versions v on v.release_id = r.id
    where r.name = any($1::text[]) group by r.name`,
};

interface Digest {
  name: string;
  digest: string | null;
}

/** Finds what the tenant's rows name, and the target lacks or has with another content. */
export async function differingDefinitions(source: pg.Client, target: pg.Client, tenantId: number): Promise<string[]> {
  const named = await query<Named>(source, typesStatement, [tenantId]);
  const types = [...new Set(named.map(({ type }) => type))];
  const releases = (await query<{ name: string }>(source, releasesStatement, [tenantId])).map(({ name }) => name);
  const differing: string[] = [];
  for (const [statement, names] of [
    [versionsStatement, types],
    [membersStatement, releases],
  ] as const) {
    const here = await query<Digest & Partial<Named>>(source, statement, [names]);
    const there = new Map((await query<Digest>(target, statement, [names])).map(({ name, digest }) => [name, digest]));
    for (const { name, digest } of here) {
      if (there.get(name) !== digest) {
        differing.push(name);
      }
    }
  }
  return differing;
}
