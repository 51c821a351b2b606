import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { makeWebhook } from '../support/factories.js';
import { skipsHaproxyTests, startHaproxy } from '../support/haproxy.js';
import { postGraphql } from '../support/served-api.js';
import { broken } from './support/endpoints.js';
import { POINTS } from './support/move-points.js';
import { MovingSite } from './support/moving-site.js';
import { report } from './support/sizes.js';

/** A tenant with all kinds of work moves behind HAProxy, with ops/haproxy/hookwright-route (docs/cells.md). */

const PER_SECOND = 100;
const BEFORE = 200;
const SCHEDULED = 20;
const OFTEN = 30_000;

const SETTLE = `mutation Set($id: ID!) { updateWebhook(input: { id: $id,
  ordering: { by: KEY, keep: LATEST, settleSeconds: 1, settleMaxSeconds: 2 } }) { webhook { id } } }`;
const REPLAY = `mutation Replay($id: ID!, $since: DateTime!) { replayEvents(input: { webhookId: $id,
  filter: { since: $since } }) { bulkOperation { id status } } }`;
const SCHEDULE = `mutation Later($after: Int!, $key: String!) { scheduleEvent(input: { event: "coupon.applied",
  payload: { code: $key, discount_type: "scheduled" }, delaySeconds: $after, idempotencyKey: $key }) { duplicate } }`;
const PAUSE = 'mutation Pause($id: ID!) { updateWebhook(input: { id: $id, active: false }) { webhook { id } } }';

const addWebhook = async ({ two, tenantId, endpoints }: MovingSite, name: string) =>
  (await makeWebhook(two.cells[0].services, tenantId, { url: endpoints.urlOf(name), eventTypes: ['coupon.applied'] }))
    .id;

/** Webhooks that settle, fail and are paused, scheduled events, and one that shall get what was before it. */
async function widen(site: MovingSite) {
  const add = (name: string) => addWebhook(site, name);
  const [settling, failing, paused] = [await add('settling'), await add('failing'), await add('paused')];
  site.endpoints.behave('failing', broken);
  await site.do(SETTLE, { id: String(settling) });
  await site.do(PAUSE, { id: String(paused) });
  for (let number = 0; number < SCHEDULED; number += 1) {
    await site.do(SCHEDULE, { after: number % 2 === 0 ? 3_600 : 15, key: `scheduled-${number}` });
  }
  return { settling, failing, paused };
}

const CREATE_SESSION = `mutation { createPortalSession(input: { capabilities: [VIEW] }) { url } }`;
const PAGE = '{ webhooks(first: 10) { nodes { databaseId } } }';
const LOOK_MS = 50;

/** A person with an open page of the portal, which asks the proxy again and again. */
async function visitPortal(site: MovingSite, origin: string) {
  const { createPortalSession } = await site.do<{ createPortalSession: { url: string } }>(CREATE_SESSION);
  const { pathname, hash } = new URL(createPortalSession.url);
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ code: hash.slice(1) });
  const exchanged = await fetch(`${origin}${pathname}`, { method: 'POST', headers, body });
  const { token } = (await exchanged.json()) as { token: string };
  const answers: string[] = [];
  let isOver = false;
  const visiting = (async () => {
    while (!isOver) {
      const { status, data, errors } = await postGraphql(origin, token, { query: PAGE });
      answers.push(
        errors.length > 0 ? `${status} ${errors[0].extensions.reason}` : `${data.webhooks.nodes.length} webhooks`,
      );
      await delay(LOOK_MS);
    }
  })();
  return async () => {
    isOver = true;
    await visiting;
    return answers;
  };
}

/** What is in a cell of webhooks, by their states. */
const statesIn = (site: MovingSite, cell: 0 | 1, webhook: number) =>
  site.two.cells[cell].rows<{ status: string; count: number }>(
    `select status::text, count(*)::integer as count from hookwright.deliveries where webhook_id = $1 group by 1 order by 1`,
    [webhook],
  );

test.skipIf(skipsHaproxyTests)(
  'a tenant with everything under way moves behind HAProxy: no request fails',
  {
    timeout: 180_000,
  },
  async () => {
    await using site = await MovingSite.open();
    await using proxy = await startHaproxy(site.ports, []);
    site.goThrough(proxy.origin);
    const { settling, failing, paused } = await widen(site);
    const since = new Date(Date.now() - 60_000).toISOString();
    site.startLoad(PER_SECOND);
    await eventually(() => site.emitted.length >= BEFORE, OFTEN);
    const late = await addWebhook(site, 'late');
    const { reached, letGo } = await POINTS['while it drains']!(site);
    const leave = await visitPortal(site, proxy.origin);
    const route = `HAPROXY_SOCKET=${proxy.socket} MOVED_MAP=${proxy.map} ops/haproxy/hookwright-route`;
    const mover = site.startMover('--route-command', route);
    await reached();
    await site.do(REPLAY, { id: String(late), since });
    await letGo();
    await site.reaches('CLOSED');
    expect([await mover.ended, mover.said]).toEqual([0, expect.stringContaining('is open in cell 1')]);
    const [before, accepted] = [site.answers.length, site.emitted.length];
    await eventually(() => site.emitted.length >= accepted + BEFORE, OFTEN);
    await site.endLoad();
    const seen = await leave();
    const passing = /^(503 tenant_moving|421 tenant_elsewhere)$/;
    expect([...new Set(seen)].filter((answer) => !passing.test(answer))).toEqual(['6 webhooks']);
    expect(seen.slice(-10)).toContain('6 webhooks');

    const answers = Map.groupBy(site.answers, (answer) => answer);
    report('moved behind HAProxy', Object.fromEntries([...answers].map(([answer, { length }]) => [answer, length])));
    const known = ['200', '503 tenant_moving', '421 tenant_elsewhere'];
    expect([...answers.keys()].filter((answer) => !known.includes(answer))).toEqual([]);
    expect(new Set(site.answers.slice(before))).toEqual(new Set(['200']));
    expect(await site.judge()).toEqual([]);
    expect(await site.marks()).toEqual(['GONE', null]);

    // Replayed by the operation that came along, and then sent as it came: each event once.
    await eventually(async () => {
      const [operation] = await site.two.cells[1].rows<{ status: string }>(
        'select status from hookwright.bulk_operations where tenant_id = $1',
        [site.tenantId],
      );
      return operation!.status === 'COMPLETED';
    }, OFTEN);
    const events = site.emitted.length;
    const emitted = `from hookwright.events e where e.tenant_id = ${site.tenantId} and e.body like '%"scheduled"%'`;
    await eventually(async () => (await site.two.cells[1].rows(`select ${emitted}`)).length === SCHEDULED / 2, OFTEN);
    const all = events + SCHEDULED / 2;
    await eventually(async () => {
      expect(await statesIn(site, 1, late)).toEqual([{ status: 'SUCCEEDED', count: all }]);
      return true;
    }, OFTEN);
    // What was held for the paused one is held here, and the failing one is as it would be without a move.
    const [pausedStates, failingStates, settlingStates] = await Promise.all(
      [paused, failing, settling].map((webhook) => statesIn(site, 1, webhook)),
    );
    const total = (states: { count: number }[]) => states.reduce((sum, { count }) => sum + count, 0);
    report('states', { pausedStates, failingStates, settlingStates, all });
    expect(pausedStates).toEqual([{ status: 'HELD', count: all }]);
    expect(total(failingStates!)).toBe(all);
    expect(total(settlingStates!)).toBe(all);
    await eventually(
      async () => !(await statesIn(site, 1, settling)).some(({ status }) => status === 'PENDING'),
      OFTEN,
    );
    const [scheduled] = await site.two.cells[1].rows(
      `select count(*)::integer as count from hookwright.scheduled_events where tenant_id = $1 and status = 'SCHEDULED'`,
      [site.tenantId],
    );
    expect(scheduled).toEqual({ count: SCHEDULED / 2 });
  },
);
