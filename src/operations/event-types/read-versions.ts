import { type HasPool, query, type Statement } from '../../platform/database/database.js';
import type { EventTypeVersionRow } from './event-type-registry.js';

const statement: Statement = {
  text: `select event_type as "eventType", version, schema, converter, converter_from as "converterFrom",
                created_at as "createdAt"
         from hookwright.event_type_versions where event_type = $1 order by version desc`,
};

/** All versions of an event type, the newest first. */
export const readVersions = ({ pool }: HasPool, eventType: string): Promise<EventTypeVersionRow[]> =>
  query<EventTypeVersionRow & object>(pool, statement, [eventType]);
