import type pg from 'pg';
import { LANES } from '../../src/domain/pacing/lanes.js';
import { DAYS, HOURS, type Plan } from './plan.js';
import { CALLED, ORDERED, SETTLING } from './seed-options.js';

const DELIVERIES_PER_EVENT = 2;
/** Every twentieth event has the state before the change that it reports. */
const CHANGED_EVERY = 20;
/** Of events: those of the largest tenant, and those of it and the busy ones. The others are quiet. */
const LARGEST_PART = 0.05;
const BUSY_PART = 0.3;

export async function makeDays(client: pg.ClientBase): Promise<void> {
  for (const parent of ['events', 'deliveries', 'attempts']) {
    await client.query(
      `select hookwright.make_partition($1, current_date - ago) from generate_series(0, ${DAYS}) as ago`,
      [parent],
    );
  }
}

/**
 * Writes a day of events, with their deliveries, and attempts of a part of these. Quiet tenants are active for an hour
 * of all ten days, so that statistics have as many rows as where endpoints are called now and then.
 *
 * @param until the end of the ten days
 * @param day from 0 on
 */
export async function seedDay(client: pg.ClientBase, plan: Plan, until: Date, day: number): Promise<void> {
  const events = Math.max(1, Math.round(plan.size.deliveries / DELIVERIES_PER_EVENT / DAYS));
  await client.query(daySql(plan, events), [until, day]);
}

const daySql = (plan: Plan, events: number) => `
  with drawn as materialized (
    select number, random() as a, random() as b, random() as c, random() as d,
           $1::timestamptz - interval '${DAYS} days' + interval '1 day' * ($2::integer + number::float8 / ${events}) as at,
           24 * $2::integer + number * 24 / ${events} as hour
    from generate_series(0, ${events - 1}) as number),
  chosen as (
    select number, at, c, d, hookwright.id_at(at) | (number * 4 & 4095) as id,
           case when a < ${LARGEST_PART} then -1 when a < ${BUSY_PART} then floor(${plan.busy} * b ^ 2)
                else (hour + ${HOURS} * floor(b * ${Math.ceil((plan.size.tenants - 1) / HOURS)})::bigint) % ${plan.size.tenants - 1}
           end::bigint as tenant
    from drawn),
  sized as (
    select *, case when tenant < 0 then 0 else ${plan.firstPlaceSql('tenant')} end as first,
           case when tenant < 0 then ${plan.largest}
                else ${plan.firstPlaceSql('tenant + 1')} - ${plan.firstPlaceSql('tenant')} end as webhooks
    from chosen),
  made as materialized (
    select *, ${plan.firstTenant} + 1 + tenant as tenant_id, ${typeSql(plan)} as event_type,
           floor(webhooks * case when tenant < 0 then c ^ 3 else c end)::bigint as which
    from sized),
  placed as materialized (
    select *, ${bodySql} as body,
           array(select first + (which + more) % webhooks from generate_series(0, ${DELIVERIES_PER_EVENT - 1}) as more
                 where more < webhooks) as places
    from made),
  events as (
    insert into hookwright.events (id, tenant_id, event_type, body, type_version, previous, targets)
    select id, tenant_id, event_type, body, 1, case when number % ${CHANGED_EVERY} = 0 then ${previousSql} end,
           case when exists (select from unnest(places) as p(place) where ${plan.optionsSql('place', ...CALLED)})
                then array(select ${plan.webhookSql('place')} from unnest(places) as p(place)) end
    from placed order by id),
  keys as (
    insert into hookwright.idempotency_keys (tenant_id, key, event_id, request_hash, created_at)
    select tenant_id, md5(id::text), id, sha256(int8send(id)), at from made
    where number % 5 = 0 and at > now() - interval '6 days'),
  traces as (
    insert into hookwright.event_traces (event_id, tenant_id, traceparent)
    select id, tenant_id, '00-' || md5(id::text) || '-' || left(md5(number::text), 16) || '-01' from made
    where number % 100 = 0 and at > now() - interval '7 days'),
  sent as (
    select made.*, id + nth as delivery_id, place, random() as luck
    from placed made, unnest(places) with ordinality as p(place, nth)),
  ended as (
    select *, ${statusSql(plan)} as status from sent
    where not (${plan.longDisabledSql('place')} and at > ${plan.disabledAtSql('place')})),
  written as (
    insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, cancel_reason,
                                       attempt_count, due_at, finished_at, last_status_code, last_error_code, path)
    select delivery_id, tenant_id, id, ${plan.webhookSql('place')}, event_type, status::hookwright.delivery_status,
           case when status = 'CANCELED' then 'BY_USER'::hookwright.cancel_reason end,
           case status when 'FAILED' then 6 when 'HELD' then 0 when 'CANCELED' then 0 when 'PENDING' then 2 else 1 end,
           case when status = 'PENDING' and not ${plan.closedSql('place')} then ${retriedAtSql('luck')} else at end,
           case when status = 'FAILED' then least(at + interval '62 minutes', now())
                when status not in ('HELD', 'PENDING') then at + interval '1 second' * luck end,
           case when status = 'SUCCEEDED' then 200 when status in ('FAILED', 'PENDING') then 503 end,
           case when status in ('FAILED', 'PENDING') then 'HTTP_503' end,
           case when ${plan.optionsSql('place', ...CALLED)} then '/orders/' || id end
    from ended order by delivery_id
    returning id, tenant_id, webhook_id, status, attempt_count, finished_at, last_status_code, last_error_code)
  insert into hookwright.attempts (delivery_id, number, tenant_id, url, started_at, duration_ms, status_code, error_code,
                                   request_headers, response_headers, response_body, first_byte_ms)
  select id, attempt_count, tenant_id, 'http://127.0.0.1:9/hooks/' || webhook_id, coalesce(finished_at, now()),
         20 + id % 200, last_status_code, last_error_code, ${requestHeadersSql},
         '{"content-type":"text/plain","content-length":"2"}', 'OK', 15
  from written where attempt_count > 0 and (status <> 'SUCCEEDED' or hashint8(id) % 8 = 0) order by id`;

/** Quiet tenants mostly have one type of event: statistics have a row for each type that a webhook got in an hour. */
const typeSql = (plan: Plan) => `
  (array['booking.created', 'booking.canceled', 'coupon.applied', 'voucher.emitted'])
    [1 + case when tenant < ${plan.busy} or d < 0.1 then floor(40 * d)::bigint % 4 else tenant % 4 end]`;
/** As the schemas of the types have it. */
const bodySql = `
  case event_type
    when 'booking.created' then format('{"booking_code":"B-%s","local_number":"%s","brand":"%s"}', id, number,
                                       (array['alpha', 'beta', 'gamma'])[1 + number % 3])
    when 'booking.canceled' then format('{"booking_code":"B-%s","canceled_at":"%s"}', id, at)
    when 'coupon.applied' then format('{"code":"SUMMER-%s","discount_type":"percent"}', number)
    else format('{"booking_code":"B-%s","voucher_number":"V-%s"}', id, number) end`;
const previousSql = `replace(replace(body, '"B-', '"A-'), 'SUMMER', 'WINTER')`;
const requestHeadersSql = `
  format('{"content-type":"application/json","user-agent":"Hookwright","webhook-id":"%s","webhook-timestamp":"1767225600","webhook-signature":"v1,%s="}',
         id, repeat('c', 43))`;
/** Between an hour and 22 hours from now, by a number from 0 to 1. */
const retriedAtSql = (luck: string) => `now() + interval '1 hour' * (1 + 21 * ${luck})`;

const statusSql = (plan: Plan) => `
  case when ${plan.holdsSql('place')} and at > ${plan.disabledAtSql('place')} then 'HELD'
       when ${plan.failingSql('place')} and at > now() - interval '1 day' then 'PENDING'
       when ${plan.closedSql('place')} and at > now() - interval '1 day' then 'PENDING'
       when luck < 0.02 and at > now() - interval '2 hours' then 'PENDING'
       when luck > 0.98 then 'FAILED' when luck > 0.975 then 'CANCELED' else 'SUCCEEDED' end`;

const KEYS_PER_WEBHOOK = 2;
const IN_QUEUE = 5;

/**
 * Writes ordering keys: the first delivery of each waits for a retry, or blocks the key, and the others wait for it, or
 * the latest one waits until its key is quiet; and the jobs of deliveries that are due while their endpoint has asked
 * for a pause.
 */
export async function seedWaiting(client: pg.ClientBase, plan: Plan): Promise<void> {
  await client.query(queuesSql(plan));
  await client.query(settlingSql(plan));
  await client.query(`
    insert into hookwright.ordering_keys (webhook_id, key, tenant_id, is_new)
    select distinct webhook_id, key, tenant_id, false from hookwright.ordering_queue on conflict do nothing`);
  await client.query(jobsSql);
}

const queuesSql = (plan: Plan) => `
  with ordered as (
    select ${plan.webhookSql('place')} as webhook_id, ${plan.tenantSql('place')} as tenant_id, place,
           row_number() over (order by place) - 1 as nth
    from generate_series(0, ${plan.size.webhooks - 1}) as each(place)
    where ${plan.optionsSql('place', ...ORDERED)} and (place % 5 = 0 or ${plan.size.webhooks} < 50000)),
  made as materialized (
    select webhook_id, tenant_id, 'order-' || key as key, position = 1 as is_head, nth % 10 = 0 as is_blocked,
           hookwright.id_at(now() - interval '10 minutes' + interval '1 millisecond' * nth)
             | ((nth * 16 + key * 8 + position) & 4095) as id
    from ordered, generate_series(0, ${KEYS_PER_WEBHOOK - 1}) as key, generate_series(1, ${IN_QUEUE}) as position),
  events as (
    insert into hookwright.events (id, tenant_id, event_type, body, ordering_key)
    select id, tenant_id, 'booking.created', '{"booking_code":"' || key || '","local_number":"1","brand":"alpha"}', key
    from made),
  deliveries as (
    insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, attempt_count, due_at,
                                       finished_at, last_status_code, last_error_code, ordering_key)
    select id, tenant_id, id, webhook_id, 'booking.created',
           (case when not is_head then 'WAITING' when is_blocked then 'FAILED' else 'PENDING' end)::hookwright.delivery_status,
           case when is_head then 3 else 0 end,
           case when is_head and not is_blocked then ${retriedAtSql('random()')} else now() end,
           case when is_head and is_blocked then now() end,
           case when is_head then 503 end, case when is_head then 'HTTP_503' end, key
    from made)
  insert into hookwright.ordering_queue (webhook_id, key, position, delivery_id, tenant_id, blocked_at)
  select webhook_id, key, nextval('hookwright.ordering_position'), id, tenant_id,
         case when is_head and is_blocked then now() end
  from (select * from made order by id) in_order`;

/** The latest delivery of each key, and those whose place it took. */
const settlingSql = (plan: Plan) => `
  with settling as (
    select ${plan.webhookSql('place')} as webhook_id, ${plan.tenantSql('place')} as tenant_id,
           row_number() over (order by place) - 1 as nth
    from generate_series(0, ${plan.size.webhooks - 1}) as each(place)
    join hookwright.webhooks w on w.id = ${plan.webhookSql('place')} and w.active
    where ${plan.optionsSql('place', ...SETTLING)}),
  made as materialized (
    select *, max(id) over (partition by webhook_id, key) as latest
    from (
      select webhook_id, tenant_id, 'order-' || key as key,
             hookwright.id_at(now() - interval '5 minutes' + interval '1 millisecond' * nth)
               | ((nth * 16 + key * 8 + position) & 4095) as id
      from settling, generate_series(0, ${KEYS_PER_WEBHOOK - 1}) as key, generate_series(1, ${IN_QUEUE}) as position) each),
  events as (
    insert into hookwright.events (id, tenant_id, event_type, body, ordering_key, type_version)
    select id, tenant_id, 'booking.created', '{"booking_code":"' || key || '","local_number":"1","brand":"alpha"}', key, 1
    from made),
  deliveries as (
    insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, cancel_reason, due_at,
                                       finished_at, ordering_key, settling_since, superseded_by)
    select id, tenant_id, id, webhook_id, 'booking.created',
           (case when id = latest then 'PENDING' else 'CANCELED' end)::hookwright.delivery_status,
           case when id <> latest then 'SUPERSEDED'::hookwright.cancel_reason end, now() + interval '1 hour',
           case when id <> latest then now() end, key, case when id = latest then now() end,
           case when id <> latest then latest end
    from made)
  insert into hookwright.ordering_queue (webhook_id, key, position, delivery_id, tenant_id)
  select webhook_id, key, nextval('hookwright.ordering_position'), id, tenant_id
  from (select * from made where id = latest order by id) in_order`;

/** They come back by themselves when the pause is over, spread over some minutes. */
const jobsSql = `
  select hookwright.enqueue_deliveries(array_agg(d.id order by d.id), array_agg(d.attempt_count + 1 order by d.id),
           array_agg(w.closed_until + interval '1 second' * (d.id >> 12 & 255) order by d.id),
           array_agg(${LANES.RETRY.priority} order by d.id))
  from hookwright.deliveries d join hookwright.webhooks w on w.id = d.webhook_id
  where d.status = 'PENDING' and d.due_at < now() and w.closed_until > now() having count(*) > 0`;

/**
 * Lets an installation that was seeded some time ago wait again: pauses begin now, and nothing is retried within the
 * next hour.
 */
export async function waitAgain(client: pg.ClientBase): Promise<void> {
  await client.query(
    `update hookwright.webhooks set closed_until = now() + interval '55 minutes' where closed_until is not null`,
  );
  await client.query(`
    update hookwright.deliveries d set due_at = ${retriedAtSql('random()')} from hookwright.webhooks w
    where d.status = 'PENDING' and d.due_at < now() + interval '1 hour' and w.id = d.webhook_id
      and w.closed_until is null and d.settling_since is null`);
  await client.query(
    `update hookwright.deliveries set settling_since = now(), due_at = now() + interval '1 hour'
     where status = 'PENDING' and settling_since is not null and attempt_count = 0`,
  );
  await client.query(jobsSql);
}
