import type pg from 'pg';
import { comparisonsIn, compileFilter, compilePath, compilingOf } from '../../src/domain/content/compile-filter.js';
import type { EventFilter } from '../../src/domain/content/filter.js';
import type { StoredPortalSettings } from '../../src/domain/keys/portal-session.js';
import type { Plan } from './plan.js';

const filter: EventFilter = { field: { path: 'brand', op: 'EQ', value: 'alpha' } };

/** In thousandths of the webhooks, from here until there. */
const NAMED = [300, 340] as const;
const FILTERED = [340, 345] as const;
export const ORDERED = [345, 350] as const;
const FORMATTED = [350, 355] as const;
const LIMITED = [355, 360] as const;
const PINNED = [380, 400] as const;
export const SETTLING = [423, 426] as const;
export const CALLED = [455, 465] as const;
/** Keys of webhooks that settle are quiet after so long: the longest time, since nothing falls due meanwhile. */
const SETTLE_SECONDS = 3_600;
const RELEASE = '2026-01';

/** Options of webhooks, and what people and programs leave behind in an installation that is managed. */
export async function seedOptions(client: pg.ClientBase, plan: Plan): Promise<void> {
  for (const text of [...optionsOf(plan), ...keysOf(plan), ...changesOf(plan), ...othersOf(plan)]) {
    await client.query(text);
  }
}

/** SQL: `each` has the places of all webhooks. */
const placesSql = ({ size }: Plan) => `generate_series(0, ${size.webhooks - 1}) as each(place)`;
const tenantsSql = ({ size, firstTenant }: Plan) =>
  `generate_series(${firstTenant}, ${firstTenant + size.tenants - 1}) as each(id)`;

function optionsOf(plan: Plan): string[] {
  const webhook = plan.webhookSql('place');
  const tenant = plan.tenantSql('place');
  const options = (columns: string, values: string, [from, until]: readonly [number, number]) => `
    insert into hookwright.webhook_options (webhook_id, tenant_id, ${columns})
    select ${webhook}, ${tenant}, ${values} from ${placesSql(plan)} where ${plan.optionsSql('place', from, until)}`;
  return [
    options(
      'name, description, metadata',
      `'Shop ' || place, 'Orders of the shop', jsonb_build_object('shop', place)`,
      NAMED,
    ),
    options(
      'filter, filter_path, filter_comparisons, filter_compiling',
      `'${JSON.stringify(filter)}', '${compileFilter(filter)}', ${comparisonsIn(filter)}, ${compilingOf(filter)}`,
      FILTERED,
    ),
    options(
      'key_path, ordering_path, ordering_by, ordering_on_failure',
      `'booking_code', '${compilePath('booking_code')}', 'KEY', 'BLOCK'`,
      ORDERED,
    ),
    options(
      'key_path, ordering_path, ordering_by, ordering_keep, ordering_settle_seconds',
      `'booking_code', '${compilePath('booking_code')}', 'KEY', 'LATEST', ${SETTLE_SECONDS}`,
      SETTLING,
    ),
    options('callback', 'true', CALLED),
    `insert into hookwright.releases (name, made_at) values ('${RELEASE}', now() - interval '30 days')`,
    `insert into hookwright.release_versions (release_id, event_type, version)
     select r.id, v.event_type, max(v.version) from hookwright.releases r, hookwright.event_type_versions v
     group by r.id, v.event_type`,
    options('release', `'${RELEASE}'`, PINNED),
    options('format, rate_per_second', `'SLACK', 1`, FORMATTED),
    options(
      'timeout_ms, retry_delays_seconds, rate_per_second, concurrency_max',
      `5000, '{60,600,3600,36000}', 5, 4`,
      LIMITED,
    ),
    `update hookwright.webhooks w set options_version = 1 from hookwright.webhook_options o where o.webhook_id = w.id`,
    // One content is current, and an older one has ended.
    `insert into hookwright.webhook_contents (tenant_id, webhook_id, format, release, created_at, ended_at)
     select tenant_id, webhook_id, coalesce(format, 'JSON'), release, now() - age * interval '20 days',
            case when age = 2 then now() - interval '20 days' end
     from hookwright.webhook_options, generate_series(1, 2) as age where format is not null or release is not null`,
    `update hookwright.webhook_options o set content_id = k.id
     from hookwright.webhook_contents k where k.webhook_id = o.webhook_id and k.ended_at is null`,
    `insert into hookwright.webhook_recoveries (webhook_id, tenant_id, generation, pause_minutes, recovered_at)
     select ${webhook}, ${tenant}, 1, 60, now() - interval '3 days' from ${placesSql(plan)}
     where ${plan.disabledSql('place')} and place % 20 = 0`,
    `insert into hookwright.creation_keys (tenant_id, api_key_id, key, request_hmac, webhook_id, secret_digest)
     select ${tenant}, 1, 'create-' || place, sha256(int4send(place)), ${webhook}, sha256(int4send(place))
     from ${placesSql(plan)} where place % 500 = 0`,
  ];
}

const PORTAL_SETTINGS: StoredPortalSettings = {
  capabilities: ['VIEW'],
  parentOrigins: [],
  locale: null,
  theme: 'AUTO',
  returnUrl: null,
  keysExpireInSeconds: null,
  makerExpiresAt: null,
  madeBy: { kind: 'PLATFORM_KEY', keyId: null },
};

/** Two keys for each tenant, and sessions of the portal that have ended but for a few. */
const keysOf = (plan: Plan): string[] => [
  `insert into hookwright.api_keys (tenant_id, name, hash, scopes, created_at, revoked_at, last_used_at)
   select id, case which when 1 then 'Production' else 'Before' end, sha256(int4send((id * 2 + which)::integer)),
          '{webhooks:read,webhooks:write,events:write,deliveries:read}', now() - interval '9 days' * which,
          case when which = 2 then now() - interval '9 days' end, now() - interval '1 day'
   from ${tenantsSql(plan)}, generate_series(1, 2) as which`,
  `insert into hookwright.api_keys (tenant_id, name, hash, scopes, created_at, expires_at, portal_id, portal_code_hash,
                                    portal_code_expires_at, portal_settings)
   select id, 'Portal', sha256(int4send((id * 2)::integer)), '{webhooks:read}', at, at + interval '1 hour',
          md5('portal ' || id), sha256(int4send((id * 2)::integer)), at + interval '10 minutes',
          '${JSON.stringify(PORTAL_SETTINGS)}'
   from (select id, now() - interval '1 minute' * (id % 20000) as at from ${tenantsSql(plan)} where id % 2 = 0) made`,
];

/** The making of each webhook, and of what ended the inactive ones. */
const changesOf = (plan: Plan): string[] => [
  `insert into hookwright.audit_log (tenant_id, actor, action, target_type, target_id, after, request_id, created_at)
   select w.tenant_id, 'TENANT_KEY', 'WEBHOOK_CREATED', 'WEBHOOK', w.id,
          json_build_object('url', w.url, 'eventTypes', w.event_types), md5(w.id::text), w.created_at
   from hookwright.webhooks w where w.id >= ${plan.firstWebhook} order by w.created_at`,
  `insert into hookwright.audit_log (tenant_id, actor, action, target_type, target_id, before, after, created_at)
   select w.tenant_id, case w.disabled_reason when 'PAUSED' then 'TENANT_KEY' else 'SERVICE' end,
          case w.disabled_reason when 'PAUSED' then 'WEBHOOK_UPDATED' else 'WEBHOOK_DISABLED' end, 'WEBHOOK', w.id,
          '{"active":true}', '{"active":false}', w.disabled_at
   from hookwright.webhooks w where w.disabled_at is not null and w.id >= ${plan.firstWebhook} order by w.disabled_at`,
];

const BODY = `'{"booking_code":"B-' || id || '","local_number":"1","brand":"alpha"}'`;

const othersOf = (plan: Plan): string[] => [
  `insert into hookwright.scheduled_events (tenant_id, event_type, body, deliver_at, due_at, idempotency_key, created_at)
   select id, 'booking.created', ${BODY}, at, at, 'later-' || id, now() - interval '1 day'
   from (select id, now() + interval '1 day' + interval '1 minute' * (id % 100000) as at from ${tenantsSql(plan)}) made`,
  `insert into hookwright.scheduled_events (tenant_id, event_type, body, deliver_at, due_at, status, event_id, created_at,
                                            finished_at)
   select id, 'booking.created', ${BODY}, at, at, 'EMITTED', hookwright.id_at(at), at - interval '1 day', at
   from (select id, now() - interval '1 minute' * (1 + id % 14000) as at from ${tenantsSql(plan)}) made`,
  `insert into hookwright.bulk_operations (tenant_id, kind, status, webhook_id, filter, from_id, to_id, cursor_id, total,
                                           processed, affected, actor, created_at, finished_at)
   select w.tenant_id, 'RECOVER_WEBHOOK', 'COMPLETED', w.id, '{}', 1, 2, 2, 100, 100, 100, 'TENANT_KEY',
          now() - interval '1 minute' * (w.id % 10000 + 10), now() - interval '1 minute' * (w.id % 10000)
   from hookwright.webhooks w where w.id >= ${plan.firstWebhook} and w.id % 200 = 0`,
  `insert into hookwright.notice_recipients (tenant_id, address, topics, confirmed_at)
   select id, 'ops-' || id || '@example.com', '{DISABLED,FAILING}', now() - interval '20 days'
   from ${tenantsSql(plan)} where id % 10 = 0`,
];
