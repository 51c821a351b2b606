import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { encodePosition } from '../../src/domain/ids/change-position.js';
import { DatabaseProxy } from '../support/database-proxy.js';
import { eventually } from '../support/eventually.js';
import { makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { gid } from '../support/ids.js';
import { deliveries, LiveApi, type LiveStream, webhooks } from '../support/live-api.js';
import { lockWaits } from '../support/lock-waits.js';
import { openTransaction } from '../support/locks.js';
import { onServer } from '../support/on-server.js';

const WITHIN_MS = 30_000;
const RECEIVER = 'https://receiver.example.com/';

let api: LiveApi;
beforeEach(async () => {
  api = await LiveApi.open();
});
afterEach(() => api[Symbol.asyncDispose]());

const touchSql = (id: number) => `update hookwright.webhooks set url = url where id = ${id} returning id`;
const touch = (id: number) => api.stack.rows(touchSql(id));
const told = (stream: LiveStream) => stream.updates.flatMap(({ webhookId }) => webhookId ?? []);
/** A transaction of somebody else, which has begun with a statement. */
const transaction = (statement: string) => openTransaction(api.stack.databaseUrl, statement);
/** Once is not enough while a transaction is under way somewhere: on the server's other databases there are tests too. */
const untilForgotten = (clean: () => Promise<unknown>) =>
  eventually(async () => {
    await clean();
    return (await api.stack.rows('select from hookwright.changes')).length === 0;
  }, WITHIN_MS);
const resyncs = (stream: LiveStream) => stream.updates.filter(({ resync }) => resync).length;

describe('after a cut', () => {
  test('a stream goes on where the one before it was, in another process too', async () => {
    await api.addServer();
    const [one, two, three] = [
      await api.stack.webhook(RECEIVER),
      await api.stack.webhook(RECEIVER),
      await api.stack.webhook(RECEIVER),
    ].map(({ id }) => id) as [number, number, number];
    const first = await api.follow(webhooks);
    await touch(one);
    await eventually(() => told(first).includes(gid.webhook(one)), WITHIN_MS);
    first.cut();
    await touch(two);
    const second = await api.subscribe(webhooks, { after: first.lastId }, { at: 1 });
    await eventually(() => told(second).length > 0, WITHIN_MS);
    expect(second.updates.map(({ webhookId }) => webhookId)).toEqual([gid.webhook(two)]);
    second.cut();
    await touch(three);
    // The header of EventSource says more than the body, which stays as it was at the first connect.
    const headers = { 'last-event-id': second.lastId! };
    const third = await api.subscribe(webhooks, { after: first.lastId }, { headers });
    await eventually(() => told(third).length > 0, WITHIN_MS);
    expect(third.updates.map(({ webhookId }) => webhookId)).toEqual([gid.webhook(three)]);
  });

  test('other tenants’ cursors are as good as one’s own, and show one’s own changes', async () => {
    const stranger = await makeTenant(api.stack.services);
    const { lastId: after } = await api.follow(webhooks);
    await api.stack.webhook(RECEIVER);
    const { id: theirs } = await makeWebhook(api.stack.services, stranger.id);
    const stream = await api.subscribe(webhooks, { after }, { key: stranger.key });
    await eventually(() => told(stream).length > 0, WITHIN_MS);
    expect(told(stream)).toEqual([gid.webhook(theirs)]);
  });

  test('what a client has, cut off again and again while transactions overlap, equals the table', async () => {
    await api.addServer();
    const { id: webhookId } = await api.stack.webhook(RECEIVER);
    for (let i = 0; i < 20; i++) {
      await api.stack.emit();
    }
    const rows = () => api.stack.deliveries(`webhook_id = ${webhookId}`);
    const ids = (await rows()).map(({ id }) => id);
    const known = new Map((await rows()).map(({ id, attempt_count }) => [gid.delivery(id), attempt_count]));
    let isWriting = true;
    const write = async (writer: number) => {
      for (let round = 0; isWriting; round++) {
        const client = await api.stack.services.db.pool.connect();
        try {
          await client.query('begin');
          const id = ids[(writer + 4 * round) % ids.length];
          await client.query(`update hookwright.deliveries set attempt_count = attempt_count + 1 where id = ${id}`);
          await delay((writer * 7 + round * 3) % 40); // the order of commits is not that of the changes
          await client.query(round % 5 === 0 ? 'rollback' : 'commit');
        } finally {
          client.release();
        }
      }
    };
    let after: string | null = null;
    let markers = 0;
    const follow = async (cuts: number) => {
      for (let cut = 0; cut <= cuts; cut++) {
        const stream: LiveStream = await api.subscribe(deliveries, { after }, { at: cut % 2 });
        await eventually(() => stream.events.length > 1 + (cut % 4), WITHIN_MS);
        stream.cut();
        for (const { delivery, resync } of stream.updates) {
          markers += resync ? 1 : 0;
          if (delivery) {
            known.set(delivery.id, delivery.attemptCount);
          }
        }
        after = stream.lastId;
      }
    };
    const writers = [0, 1, 2, 3].map(write);
    await follow(12);
    isWriting = false;
    await Promise.all(writers);
    const last = await api.subscribe(deliveries, { after });
    await eventually(async () => {
      for (const { delivery } of last.updates) {
        known.set(delivery.id, delivery.attemptCount);
      }
      const table = (await rows()).map(({ id, attempt_count }) => [gid.delivery(id), attempt_count]);
      expect([...known].sort()).toEqual(table.sort());
      return true;
    }, WITHIN_MS);
    last.cut();
    expect(markers).toBe(0); // never was it told to read everything again
  });
});

describe('a cursor that cannot be gone on from', () => {
  test.each([
    ['is too old', `update hookwright.live_feed set epoch = epoch returning 1`, 600_000],
    ['is from before a crash of Postgres, which empties the feed', 'delete from hookwright.live_feed returning 1', 0],
    ['is of another feed', 'update hookwright.live_feed set epoch = gen_random_uuid() returning 1', 0],
  ])('when it %s, the stream begins with a marker', async (_, sql, ageMs) => {
    const first = await api.follow(webhooks);
    first.cut();
    const [epoch = '', readAt = '', snapshot = ''] = Buffer.from(first.lastId!, 'base64url').toString().split(' ');
    const after = encodePosition({ epoch, snapshot, readAtMs: Number(readAt) - ageMs });
    await api.stack.rows(sql);
    const second = await api.follow(webhooks, { after });
    await eventually(() => resyncs(second) > 0, WITHIN_MS);
    expect(second.updates[0].resync).toBe(true);
  });

  test('what was made up is no more than that', async () => {
    const epoch = '00000000-0000-4000-8000-000000000000';
    for (const snapshot of ['9:1:', '1:999999999999999999:', '5:9:6,5,4', '0:0:']) {
      const after = encodePosition({ epoch, snapshot, readAtMs: Date.now() });
      const stream = await api.subscribe(webhooks, { after });
      await eventually(() => stream.updates.length > 0, WITHIN_MS);
      expect([stream.status, stream.updates[0].resync]).toEqual([200, true]);
      stream.cut();
    }
  });

  test('with more changes than are told again, it is a marker', async () => {
    const { id } = await api.stack.webhook(RECEIVER);
    const first = await api.follow(deliveries);
    first.cut();
    await api.stack.rows(
      `insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status)
       select hookwright.next_id(), ${api.stack.tenantId}, 1, ${id}, 'coupon.applied', 'HELD' from generate_series(1, 1500)
       returning id`,
    );
    const second = await api.subscribe(deliveries, { after: first.lastId });
    await eventually(() => second.updates.length > 0, WITHIN_MS);
    expect(second.updates.map(({ resync }) => resync)).toEqual([true]);
  });
});

describe('the feed', () => {
  test('is off while nobody follows: nothing is written down', async () => {
    const changes = () => api.stack.rows('select * from hookwright.changes');
    await api.stack.webhook(RECEIVER);
    await api.stack.emit();
    expect(await changes()).toEqual([]);
    const stream = await api.follow(webhooks);
    await api.stack.emit();
    expect(await changes()).toMatchObject([{ kind: 'DELIVERY', tenant_id: api.stack.tenantId }]);
    stream.cut();
    // Minutes after the last one has left:
    await api.stack.rows(`select setval('hookwright.changes_wanted_until', 1)`);
    await api.stack.emit();
    expect(await changes()).toHaveLength(1);
  });

  test('waits for transactions that began before it was on, or says that it has missed them', async () => {
    const { id } = await api.stack.webhook(RECEIVER);
    await using other = await transaction(touchSql(id));
    expect(await api.stack.rows('select * from hookwright.changes')).toEqual([]);
    const stream = await api.follow(webhooks); // comes up in spite of it
    expect(resyncs(stream)).toBe(0);
    await other.commit();
    await eventually(() => resyncs(stream) === 1, WITHIN_MS);
  });

  test('waits for nothing that happens in other databases of the server, and misses nothing there', async () => {
    const { id } = await api.stack.webhook(RECEIVER);
    await onServer(inject('testPostgres').url, async (elsewhere) => {
      await elsewhere.query('begin');
      await elsewhere.query('select pg_current_xact_id()'); // older than the feed, from here on
      const first = await api.follow(webhooks);
      await touch(id);
      await eventually(() => told(first).includes(gid.webhook(id)), WITHIN_MS);
      first.cut();
      await touch(id);
      const second = await api.subscribe(webhooks, { after: first.lastId });
      await eventually(() => second.updates.length > 0, WITHIN_MS);
      expect(told(second)).toEqual([gid.webhook(id)]);
      await elsewhere.query('commit');
      await touch(id);
      await eventually(() => second.updates.length > 1, WITHIN_MS);
      expect(resyncs(second)).toBe(0);
    });
  });

  test('says that it has missed them also to a client that was cut off meanwhile', async () => {
    const { id } = await api.stack.webhook(RECEIVER);
    await using other = await transaction(touchSql(id));
    const first = await api.follow(webhooks);
    first.cut();
    await other.commit();
    const second = await api.follow(webhooks, { after: first.lastId });
    await eventually(() => second.updates.length > 0, WITHIN_MS);
    expect(second.updates[0].resync).toBe(true);
  });

  test('keeps what a transaction changed until it can have been read, however long ago that was', async () => {
    const { id } = await api.stack.webhook(RECEIVER);
    const clean = () => api.stack.rows('select hookwright.want_changes(360, 0)'); // all that may be deleted
    const first = await api.follow(webhooks);
    first.cut();
    await using other = await transaction(touchSql(id));
    await clean();
    await other.commit();
    await clean();
    const second = await api.follow(webhooks, { after: first.lastId });
    await eventually(() => told(second).includes(gid.webhook(id)), WITHIN_MS);
    second.cut();
    await untilForgotten(clean);
  });

  test('tells a stream nothing of what came before it, be it too much to be read', async () => {
    const { changes } = api.servers[0]!.services;
    const { id } = await api.stack.webhook(RECEIVER);
    const follow = async () => {
      const follower = { tenantId: api.stack.tenantId, changed: vi.fn(), lost: vi.fn() };
      await changes.join(follower);
      return follower;
    };
    const earlier = await follow();
    await using burst = await transaction('lock table hookwright.changes in access exclusive mode');
    await burst.session.query(`do $$ begin
      for n in 1..6000 loop update hookwright.webhooks set url = url where id = ${id}; end loop; end $$`);
    await eventually(async () => (await api.stack.rows(lockWaits)).length === 1, WITHIN_MS);
    const joining = follow(); // while the read before the burst is under way: the next one is of both
    await burst.commit();
    const later = await joining;
    expect(earlier.lost).toHaveBeenCalledTimes(1);
    await touch(id);
    await eventually(() => later.changed.mock.calls.flatMap(([told]) => told).length > 0, WITHIN_MS);
    expect(later.lost).not.toHaveBeenCalled();
    changes.leave(earlier);
    changes.leave(later);
  });

  test('tells what it knows, behind the marker, when it may have missed something else', async () => {
    const { id } = await api.stack.webhook(RECEIVER);
    await using other = await transaction('select pg_current_xact_id()'); // older than the feed, from here on
    const stream = await api.follow(webhooks);
    await other.session.query(touchSql(id));
    await other.commit();
    await eventually(() => told(stream).includes(gid.webhook(id)), WITHIN_MS);
    expect(stream.updates.map(({ resync }) => resync)).toEqual([true, false]);
  });

  test('a lost connection to Postgres, and its return, cost no update', async () => {
    const proxy = await DatabaseProxy.open(api.stack.databaseUrl);
    const at = await api.addServer({}, proxy.url);
    const stream = await api.follow(webhooks, {}, { at });
    const { id } = await api.stack.webhook(RECEIVER);
    await eventually(() => told(stream).includes(gid.webhook(id)), WITHIN_MS);
    proxy.takeAway();
    const { id: meanwhile } = await api.stack.webhook(RECEIVER);
    proxy.bringBack();
    await eventually(() => told(stream).includes(gid.webhook(meanwhile)), WITHIN_MS);
    const { id: later } = await api.stack.webhook(RECEIVER);
    await eventually(() => told(stream).includes(gid.webhook(later)), WITHIN_MS);
    expect(resyncs(stream)).toBe(0);
    await api.removeServer();
    await proxy.close();
  });

  test('while Postgres is away no stream begins: 503', async () => {
    const proxy = await DatabaseProxy.open(api.stack.databaseUrl);
    const at = await api.addServer({}, proxy.url);
    const { key } = await makeKey(api.stack.services, api.stack.tenantId, ['webhooks:read']);
    const stream = await api.follow(webhooks, {}, { at, key });
    proxy.takeAway();
    const refused = await api.subscribe(webhooks, {}, { at, key });
    expect([refused.status, refused.response.headers['retry-after']]).toEqual([503, expect.stringMatching(/^[15]$/)]);
    expect(stream.hasEnded).toBe(false);
    await api.removeServer();
    await proxy.close();
  });
});

describe('what a clock that was ahead, or a dump of another server, has left', () => {
  const feed = () =>
    api.stack.rows<{ wantedSeconds: number; isOver: boolean }>(
      `select extract(epoch from wanted_until - now())::float8 as "wantedSeconds",
              ended_below_at <= clock_timestamp() and ended_below <= pg_snapshot_xmax(pg_current_snapshot()) as "isOver"
       from hookwright.live_feed`,
    );
  const want = (keptSeconds = 360) => api.stack.rows(`select hookwright.want_changes(360, ${keptSeconds})`);

  test('is forgotten: changes are wanted, and kept, by the time that it is now', async () => {
    const { id } = await api.stack.webhook(RECEIVER);
    await want();
    await api.stack.rows(`update hookwright.live_feed set wanted_until = now() + interval '1 day',
      ended_below_at = now() + interval '1 day', ended_below = '999999999', seen_below = '999999999'`);
    await touch(id);
    await want();
    const [now] = await feed();
    expect(now).toMatchObject({ isOver: true });
    expect(now?.wantedSeconds).toBeLessThan(400);
    expect(await api.stack.rows('select from hookwright.changes')).toHaveLength(1); // it may have a reader
    await untilForgotten(() => want(0));
  });

  test('is told to nobody', async () => {
    const { id } = await api.stack.webhook(RECEIVER);
    await want();
    await api.stack.rows(`insert into hookwright.changes (xid, tenant_id, kind, ids, webhook_ids)
      values ('999999999', ${api.stack.tenantId}, 'WEBHOOK', array[${id}], array[${id}])`);
    await want();
    expect(await api.stack.rows('select from hookwright.changes')).toEqual([]);
  });
});
