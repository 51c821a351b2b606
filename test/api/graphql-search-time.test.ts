import { afterAll, describe, expect, test } from 'vitest';
import { SearchSlots } from '../../src/operations/explorer/search.js';
import { eventually } from '../support/eventually.js';
import { emitMany, makeTenant, makeWebhook } from '../support/factories.js';
import { GraphqlApi } from '../support/graphql-api.js';

describe('a search that takes too long', async () => {
  const api = await GraphqlApi.open({ SEARCH_TIMEOUT_MS: '10' });
  const tenant = await makeTenant(api.services);
  const { ask, read } = api.by(tenant);
  const { id: webhookId } = await makeWebhook(api.services, tenant.id);
  // More letters than can be compared in that time.
  await api.owner.query(
    `with made as (
       insert into hookwright.events (id, tenant_id, event_type, body)
       select hookwright.next_id(), $1, 'coupon.applied', '{"code":"' || repeat(md5(n::text), 8000) || '"}'
       from generate_series(1, 300) n returning id)
     insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status)
     select hookwright.next_id(), $1, id, $2, 'coupon.applied', 'HELD' from made`,
    [tenant.id, webhookId],
  );
  afterAll(() => api.close());

  test.each(['deliveries', 'events'])('of %s ends with TIMED_OUT, and harms nothing', async (list) => {
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const filter = `{payloadContains: "not there", since: "${since}"}`;
    const answer = await ask(`{ ${list}(filter: ${filter}) { edges { cursor } } }`);
    expect(answer.status).toBe(200);
    expect(answer.errors[0]).toMatchObject({
      message: expect.stringMatching(/took longer than 0\.01 s/),
      extensions: { code: 'TIMED_OUT', reason: 'search_timed_out' },
    });
    // The same connections serve what follows, without that limit.
    await read(`{ ${list}(first: 100) { edges { cursor } } }`);
    const { rows } = await api.services.db.pool.query('show statement_timeout');
    expect(rows).toEqual([{ statement_timeout: '12s' }]);
  });

  test('of what became of an event ends so too', async () => {
    const [eventId] = await emitMany(api.services, tenant.id, 1);
    await makeWebhook(api.services, tenant.id); // has no delivery of it: the audit log is asked why
    const blocker = await api.owner.connect();
    await blocker.query('begin');
    await blocker.query('lock table hookwright.audit_log');
    try {
      const answer = await ask(`{ event(id: "${eventId}") { fanOut { edges { cursor } } } }`);
      expect(answer.errors[0]).toMatchObject({
        message: expect.stringMatching(/took longer than 0\.01 s\. Ask for fewer webhooks/),
        extensions: { code: 'TIMED_OUT' },
      });
    } finally {
      await blocker.query('rollback');
      blocker.release();
    }
  });

  test('leaves emits alone', async () => {
    expect(await emitMany(api.services, tenant.id, 5)).toHaveLength(5);
  });
});

describe('searches', () => {
  /** Work that goes on until it is let go, and how much of it is under way. */
  function holding(slots: SearchSlots) {
    const going: { tenantId: number; end: () => void }[] = [];
    const start = (tenantId: number) =>
      slots.run(tenantId, () => new Promise<void>((end) => going.push({ tenantId, end })));
    /** Ends this many, one after the other, as they begin. */
    const endAll = async (count: number) => {
      for (let done = 0; done < count; done++) {
        await eventually(() => going.length > done);
        going[done]!.end();
      }
    };
    return { going, start, endAll };
  }

  test('of one tenant are two at a time, and those of all leave half of the connections free', async () => {
    const { going, start, endAll } = holding(new SearchSlots(6, 1000));
    const all = [1, 1, 1, 2, 2, 2].map(start);
    await eventually(() => going.length === 3);
    expect(going.map(({ tenantId }) => tenantId)).toEqual([1, 1, 2]);
    await endAll(6);
    await Promise.all(all);
    expect(going).toHaveLength(6);
  });

  test('give their slot back when they fail', async () => {
    const slots = new SearchSlots(2, 1000);
    for (let n = 0; n < 3; n++) {
      await expect(slots.run(1, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    }
    expect(await slots.run(1, async () => 'yes')).toBe('yes');
  });

  test('do not wait in any number', async () => {
    const { going, start, endAll } = holding(new SearchSlots(20, 1000));
    const all = Array.from({ length: 52 }, () => start(1));
    await eventually(() => going.length === 2);
    await expect(start(1)).rejects.toMatchObject({ reason: 'rate_limited' });
    const elsewhere = start(2);
    await eventually(() => going.length === 3);
    await endAll(53);
    await Promise.all([...all, elsewhere]);
  });
});
