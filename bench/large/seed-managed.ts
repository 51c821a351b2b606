import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { formatSecret, SECRET_BYTES } from '../../src/domain/signing/secret.js';
import type { SecretVault } from '../../src/operations/secrets/secret-vault.js';
import { Plan, type Size } from './plan.js';

const ROWS_PER_STATEMENT = 20_000;
/** Nobody listens there. */
const URL_START = 'http://127.0.0.1:9/hooks/';
const HOLD = `interval '168 hours'`;
/** The longest pause that an endpoint may ask for is an hour. */
const CLOSED_FOR = `interval '55 minutes'`;

type Seal = (webhookId: number, secret: string) => Buffer;

/** Makes tenants and webhooks, with data keys and secrets that can be read. @returns where which of them is */
export async function seedOwners(client: pg.ClientBase, vault: SecretVault, size: Size): Promise<Plan> {
  const { rows } = await client.query<{ tenant: number; webhook: number }>(`
    select (select coalesce(max(id), 0) + 1 from hookwright.tenants)::integer as tenant,
           (select coalesce(max(id), 0) + 1 from hookwright.webhooks)::integer as webhook`);
  const plan = new Plan(size, rows[0]!.tenant, rows[0]!.webhook);
  const seals = new Map<number, Seal>();
  for (const ids of chunks(plan.firstTenant, size.tenants)) {
    const keys = ids.map((id) => vault.newDataKey(id));
    for (const [index, id] of ids.entries()) {
      seals.set(id, keys[index]!.seal);
    }
    await client.query(tenantsSql, [ids, keys.map(({ wrapped }) => wrapped.dataKey), vault.currentKid]);
  }
  for (const ids of chunks(plan.firstWebhook, size.webhooks)) {
    const first = ids[0]! - plan.firstWebhook;
    const sealed = ids.map((id) => {
      const tenantId = plan.tenantAt(plan.placeAt(id - plan.firstWebhook));
      return seals.get(tenantId)!(id, formatSecret(randomBytes(SECRET_BYTES)));
    });
    await client.query(webhooksSql(plan), [first, sealed]);
  }
  for (const table of ['tenants', 'webhooks']) {
    await client.query(`
      select setval(pg_get_serial_sequence('hookwright.${table}', 'id'), (select max(id) from hookwright.${table}))`);
  }
  await client.query('vacuum (analyze) hookwright.tenants, hookwright.webhooks');
  return plan;
}

function* chunks(first: number, count: number): Generator<number[]> {
  for (let done = 0; done < count; done += ROWS_PER_STATEMENT) {
    yield Array.from({ length: Math.min(ROWS_PER_STATEMENT, count - done) }, (_, index) => first + done + index);
  }
}

const tenantsSql = `
  insert into hookwright.tenants (id, name, data_key, data_key_kid, created_at)
  select id, 'Customer ' || id, data_key, $3, now() - interval '1 hour' * (240 + id % 9000)
  from unnest($1::bigint[], $2::bytea[]) as made(id, data_key)`;

const webhooksSql = (plan: Plan) => `
  with made as (
    select $1::integer + ord - 1 as number, sealed, ${plan.placeSql('$1::integer + ord - 1')} as place
    from unnest($2::bytea[]) with ordinality as each(sealed, ord)),
  judged as (
    select m.*, ${plan.disabledSql('place')} as disabled, ${plan.pausedSql('place')} as paused,
           ${plan.failingSql('place')} as failing, ${plan.disabledAtSql('place')} as ended_at,
           now() - interval '1 minute' * (3 + place % 600) as failed_since,
           now() - interval '1 hour' * (240 + place % 9000) as made_at
    from made m)
  insert into hookwright.webhooks (
    id, tenant_id, url, event_types, sealed_secret, active, generation, consecutive_failures, last_success_at,
    last_failure_at, disabled_at, disabled_reason, hold_until, hold_warned_until, failed_at, failing_since,
    streak_began_at, closed_until, created_at, version)
  select ${plan.firstWebhook} + number, ${plan.tenantSql('place')}, '${URL_START}' || ${plan.firstWebhook} + number,
         case place % 4 when 0 then '{booking.created}'::text[] when 1 then '{booking.created,booking.canceled}'
                        else '{*}' end,
         sealed, not (disabled or paused), (disabled or paused)::integer,
         case when disabled then 10 when failing then 3 + place % 7 else 0 end,
         case when place % 10 > 0 then made_at + (now() - made_at) * 0.99 end,
         case when disabled then ended_at when failing then now() - interval '1 minute' * (place % 3) end,
         case when disabled or paused then ended_at end,
         case when paused then 'PAUSED' when ${plan.goneSql('place')} then 'GONE' when disabled then 'FAILURES'
         end::hookwright.disabled_reason,
         case when disabled or paused then ended_at + ${HOLD} end,
         case when ${plan.longDisabledSql('place')} then ended_at + ${HOLD} end,
         case when disabled then ended_at end,
         case when disabled then ended_at - interval '1 hour' when failing then failed_since end,
         case when disabled then ended_at - interval '1 hour' when failing then failed_since end,
         case when ${plan.closedSql('place')} then now() + ${CLOSED_FOR} end,
         made_at, 1 + (disabled or paused)::integer
  from judged order by number`;
