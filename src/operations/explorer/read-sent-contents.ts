import { type ContentRules, contentOf, type SentContent } from '../../domain/content/content.js';
import { idRange } from '../../domain/ids/delivery-id.js';
import { piece } from '../../platform/concurrency/in-pieces.js';
import { bigintArray } from '../../platform/database/rows-parameter.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';
import { formerStateSql } from '../contents/former-state.js';
import { type ContentRow, readContentsStatement } from '../contents/read-contents.js';
import type { Conversions } from '../releases/conversions.js';
import type { LongTexts } from './read-bodies.js';

/** The content of a delivery. */
interface DeliveryContent {
  /** Whether there is none, because its event was erased. */
  erased: boolean;
  /** Null: it is larger than a payload may be, so nothing is sent. */
  sent: SentContent | null;
  /** Attempts up to this number have sent another content; 0: none. */
  reshapedAfter: number;
}

interface Row {
  key: number;
  body: string | null;
  previous: string | null;
  event_id: number;
  type_version: number | null;
  event_type: string;
  content_id: number | null;
  reshaped_after: number;
  erased: boolean;
}

const ofEvent = (value: string) => `(
  select ${value} from hookwright.events e where e.tenant_id = d.tenant_id and e.id = d.event_id)`;

/** A scalar subquery, so that Postgres looks each event up by its key: in a join it would read all of the tenant. */
const deliveriesSql = (columns: (body: string, previous: string) => string) => `
    select d.id as key, ${columns(ofEvent('e.body'), ofEvent(formerStateSql('e', 'd')))}
    from hookwright.deliveries d
    where d.id = any($2::bigint[]) and d.id between $3 and $4 and (d.tenant_id = $1) is true`;

const readStatement = {
  name: 'read_delivery_contents',
  text: deliveriesSql(
    (body, previous) =>
      `${body} as body, case when d.content_id is not null then ${previous} end as previous, d.event_id, d.event_type,
       case when d.content_id is not null then ${ofEvent('e.type_version')} end as type_version,
       d.content_id, coalesce(d.reshaped_after, 0) as reshaped_after,
       d.erased is true as erased`,
  ),
};

/** A content other than the plain payload counts as the largest one. */
const measureStatement = {
  name: 'measure_delivery_contents',
  text: deliveriesSql(
    (body) => `octet_length(${body}) + case when d.content_id is null then 0 else $5::integer end as value`,
  ),
};

/** The contents of deliveries, by their ids. */
export const deliveryContents = (
  rules: ContentRules,
  conversions: Conversions,
): LongTexts<number, DeliveryContent> => ({
  measure: async (db, tenantId, ids) => {
    const values = [tenantId, [...ids], ...idRange(ids), rules.payloadBytesMax];
    const rows = await tenantQuery<{ key: number; value: number | null }>(db.pool, tenantId, measureStatement, values);
    return new Map(rows.flatMap(({ key, value }) => (value === null ? [] : [[key, value]])));
  },
  read: async (db, tenantId, ids) => {
    const values = [tenantId, [...ids], ...idRange(ids)];
    const rows = await tenantQuery<Row>(db.pool, tenantId, readStatement, values);
    const contentIds = [...new Set(rows.flatMap(({ content_id }) => content_id ?? []))];
    const contents =
      contentIds.length === 0
        ? []
        : await tenantQuery<ContentRow>(db.pool, tenantId, readContentsStatement, [bigintArray(contentIds)]);
    const byId = new Map(contents.map((content) => [content.id, content]));
    const made = new Map<number, DeliveryContent>();
    for (const row of rows) {
      const { key, body, previous, event_id: id, event_type: type, content_id } = row;
      const { reshaped_after: reshapedAfter, erased } = row;
      if (erased) {
        made.set(key, { sent: null, reshapedAfter, erased });
        continue;
      }
      const content = content_id === null ? null : byId.get(content_id);
      if (body === null || content === undefined) {
        continue; // the retention time has just ended
      }
      const event = { id, type, typeVersion: row.type_version };
      const conversion = content === null ? null : await conversions.of(content.release, event);
      const make = () => contentOf({ ...event, tenantId, body, previous, conversion }, content!, rules);
      const sent = content === null ? { body, headers: {} } : await piece(tenantId, make);
      made.set(key, { sent, reshapedAfter, erased });
    }
    return made;
  },
});
