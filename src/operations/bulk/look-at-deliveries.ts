import { readId } from '../../domain/ids/global-id.js';
import { ofEventSql, PageConditions } from '../explorer/page.js';
import { addConditions, type DeliveryConditions, STATUS_CODE_CLASSES } from '../explorer/page-deliveries.js';
import {
  type BulkFilter,
  type BulkRange,
  type BulkSelection,
  hasStatusSql,
  recovers,
  sendsToAll,
} from './bulk-filter.js';

/** A query for rows of a bulk operation, in the order of ids. */
export interface Look {
  /** Has `id`, whether it is `wanted`, and whether it is `left_out` because its webhook is inactive. */
  text: string;
  values: unknown[];
  /** A name for the form of its text among selections of its kind; null: there are too many forms. */
  form: string | null;
}

/** The list's own conditions, beside status and event types. */
function conditionsOf(filter: BulkFilter): DeliveryConditions {
  const { statusCodeClass, errorCode, lastAttemptFailed, retrying, payloadContains } = filter;
  const statusClass = statusCodeClass === undefined ? undefined : STATUS_CODE_CLASSES[statusCodeClass];
  return { statusClass, errorCode, lastAttemptFailed, retrying, payloadContains };
}

const ACTIVE = `d.webhook_id in (
  select id from hookwright.webhooks where tenant_id = $1 and active and deleted_at is null)`;

/** The condition on the tenant is wrapped where there is a webhook or an event, so that its index is chosen. */
export function lookAtDeliveries(selection: BulkSelection, tenantId: number, range: BulkRange, limit: number): Look {
  const { webhookId, filter } = selection;
  const page = new PageConditions(tenantId, { ...range, order: 'asc', limit });
  const statuses = page.param(filter.status ?? []);
  const types = page.param(filter.eventTypes ?? null);
  const wanted = conditionsOf(filter);
  addConditions(page, wanted, range);
  const extra = page.sql;
  const eventId = filter.eventId === undefined ? null : readId('Event', filter.eventId);
  const place =
    webhookId !== null
      ? `d.webhook_id = ${page.param(webhookId)}::bigint and (d.tenant_id = $1) is true`
      : eventId === null
        ? 'd.tenant_id = $1'
        : '(d.tenant_id = $1) is true';
  const ofEvent = eventId === null ? '' : `and ${ofEventSql('d', `${page.param(eventId)}::bigint`)}`;
  const matches = `coalesce((${types}::text[] is null or d.event_type = any(${types}))
    and ${hasStatusSql('d', `${statuses}::text[]`)} ${recovers(selection) ? 'and not d.is_check and d.erased is not true' : ''} ${extra}, false)`;
  const isActive = sendsToAll(selection) ? ACTIVE : 'true';
  const text = `
    select id, matches and is_active as wanted, matches and not is_active as left_out
    from (select d.id, ${matches} as matches, ${isActive} as is_active from hookwright.deliveries d
          where ${place} ${ofEvent} and d.id > $2 and d.id < $3
          order by d.id limit $4) d`;
  const form = extra === '' && eventId === null ? String(webhookId !== null) : null;
  return { text, values: page.values, form };
}
