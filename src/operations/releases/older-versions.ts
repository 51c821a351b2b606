import type { Converter } from '../../domain/content/converter.js';
import { type HasPool, query, type Statement } from '../../platform/database/database.js';

/** An event type whose payloads a pinned endpoint gets in an older version than they are emitted in. */
export interface OlderVersion {
  eventType: string;
  /** The current version. */
  newest: number;
  /** The version that the release has. */
  pinned: number;
  /** The version that payloads get as far as converters lead. */
  sent: number;
  /** The steps from the newest version to the one that is sent, in their order. */
  steps: Converter;
}

interface Row {
  eventType: string;
  newest: number;
  pinned: number;
  /** From the newest version down. */
  converters: (Converter | null)[];
}

const statement: Statement = {
  text: `select p.event_type as "eventType", t.version as newest, p.version as pinned,
                (select json_agg(v.converter order by v.version desc) from hookwright.event_type_versions v
                 where v.event_type = p.event_type and v.version > p.version) as converters
         from hookwright.releases r
         join hookwright.release_versions p on p.release_id = r.id
         join hookwright.event_types t on t.name = p.event_type and t.version > p.version
         where r.name = $1 order by p.event_type`,
};

/** The event types that have another version than in a release, sorted by name. */
export async function olderVersions({ pool }: HasPool, release: string): Promise<OlderVersion[]> {
  const rows = await query<Row & object>(pool, statement, [release]);
  return rows.map(({ converters, ...row }) => {
    const gap = converters.indexOf(null);
    const chain = converters.slice(0, gap === -1 ? undefined : gap) as Converter[];
    return { ...row, sent: row.newest - chain.length, steps: chain.flat() };
  });
}
