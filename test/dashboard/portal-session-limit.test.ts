import { afterAll, expect, test } from 'vitest';
import { DashboardSite } from '../support/dashboard-site.js';
import { makeTenant } from '../support/factories.js';

const site = await DashboardSite.open();
const tenant = await makeTenant(site.services);
afterAll(() => site[Symbol.asyncDispose]());

/** @param codeEnds, exchanged as SQL */
const fill = (count: number, codeEnds: string, exchanged: string) =>
  site.owner.query(
    `insert into hookwright.api_keys (tenant_id, name, hash, scopes, expires_at, portal_id, portal_code_hash,
       portal_code_expires_at, portal_exchanged_at, portal_settings)
     select $1, 'portal session', '\\x00', '{}', now() + interval '1 hour', gen_random_uuid()::text, '\\x00',
       ${codeEnds}, ${exchanged}, '{"capabilities":["VIEW"],"parentOrigins":[]}'
     from generate_series(1, $2::int)`,
    [tenant.id, count],
  );
const empty = () => site.owner.query(`delete from hookwright.api_keys where portal_id is not null`);
const message = 'A tenant may have 10000 portal sessions at a time; revoke some, or wait until they expire.';
const alive = `now() + interval '1 minute'`;
const over = `now() - interval '1 second'`;

async function listed(active: boolean): Promise<number> {
  const query = `query ($active: Boolean) { portalSessions(first: 100, filter: {active: $active}) { edges { cursor } } }`;
  return (await site.ask(query, { active }, tenant.key)).data.portalSessions.edges.length;
}

test('sessions that were not opened within their minute count for no limit, like they are in no list of active ones', async () => {
  await fill(10_000, over, 'null');
  expect(await listed(true)).toBe(0);
  await site.session(tenant.key);
  expect([await listed(true), await listed(false)]).toEqual([1, 100]);
  await empty();
});

test.each([
  ['opened ones', over, 'now()'],
  ['ones that can still be opened', alive, 'null'],
])('10,000 sessions at a time are the limit: %s', async (_name, codeEnds, exchanged) => {
  await fill(9_999, codeEnds, exchanged);
  await site.session(tenant.key);
  await expect(site.session(tenant.key)).rejects.toThrow(message);
  await site.owner.query(
    `update hookwright.api_keys set revoked_at = now()
     where id = (select min(id) from hookwright.api_keys where portal_id is not null)`,
  );
  await site.session(tenant.key);
  await expect(site.session(tenant.key)).rejects.toThrow(message);
  await empty();
});
