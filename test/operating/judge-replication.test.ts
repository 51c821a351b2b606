import { describe, expect, test } from 'vitest';
import { judgeFailover, judgeHosts, judgeReplication } from '../../src/operations/doctor/judge-replication.js';
import { noteFailover, noteUnknownOutcomes } from '../../src/operations/installation/note-failover.js';
import { type Failover, readInstallation } from '../../src/operations/installation/read-installation.js';
import type { ReplicationFacts } from '../../src/operations/installation/read-replication.js';
import { DeliveryStack } from '../support/delivery-stack.js';

const standby = { name: 'b', mode: 'async', behindSeconds: 2.4, behindBytes: 3_145_728 };
const judge = (facts: Partial<ReplicationFacts>, wanted?: 'synchronous') =>
  judgeReplication({ synchronousNames: '', synchronousCommit: 'on', standbys: [standby], ...facts }, wanted, 'owner');

describe('replication', () => {
  test.each([
    ['no standby', { standbys: [] }, 'ok', 'fail'],
    ['an asynchronous one', {}, 'warn', 'fail'],
    ['a synchronous one', { synchronousNames: 'b', standbys: [{ ...standby, mode: 'sync' }] }, 'ok', 'ok'],
    ['one of several', { synchronousNames: 'ANY 1 (b, c)', standbys: [{ ...standby, mode: 'quorum' }] }, 'ok', 'ok'],
    ['none of those that commits wait for', { synchronousNames: 'c' }, 'fail', 'fail'],
    ['one that is hidden', { synchronousNames: 'b', standbys: [{ ...standby, mode: null }] }, 'ok', 'ok'],
    [
      'commits that do not wait',
      { synchronousNames: 'b', synchronousCommit: 'local', standbys: [{ ...standby, mode: 'sync' }] },
      'warn',
      'fail',
    ],
  ] as const)('%s', (_, facts, unset, synchronous) => {
    expect([judge(facts).status, judge(facts, 'synchronous').status]).toEqual([unset, synchronous]);
  });

  test('says what an asynchronous one loses, and how far the standby is behind', () => {
    const { text } = judge({}, 'synchronous');
    expect(text).toContain('asynchronous: a failover loses what was not yet replicated');
    expect(text).toContain('REPLICATION=synchronous is not in force');
    expect(text).toContain('b (async, 2 s behind, 3.0 MiB to write)');
  });
});

describe('the hosts of DATABASE_URL', () => {
  const host = (name: string, timeline: number | null) =>
    ({ name, host: name, port: 5432, system: '7', timeline, isStandby: timeline === null }) as const;

  test.each([
    ['one host', [host('a', 1)], []],
    ['a primary and a standby', [host('a', 1), host('b', null)], ['ok']],
    ['two primaries', [host('a', 1), host('b', 2)], ['fail']],
    ['a host that is away', [host('a', 1), { name: 'b', error: 'ECONNREFUSED' }], ['warn']],
  ])('%s', (_, answers, statuses) => {
    expect(judgeHosts(answers).map(({ status }) => status)).toEqual(statuses);
  });

  test('are named', () => {
    expect(judgeHosts([host('a', 5), host('b', 6)])[0]!.text).toContain('a (timeline 5), b (timeline 6)');
    expect(judgeHosts([host('a', 5), { name: 'b', error: 'no' }])[0]!.text).toContain('b (no)');
  });
});

describe('after a failover', () => {
  const at = new Date('2026-11-27T14:02:31Z');
  const lost = { at, fromTimeline: 5, toTimeline: 6, wasSynchronous: false, lostSeconds: 6.2, unknownOutcomes: 202 };
  const hoursLater = (hours: number) => new Date(at.getTime() + hours * 3_600_000);
  const judge = (more: Partial<Failover> = {}, hours = 1) => judgeFailover({ ...lost, ...more }, hoursLater(hours));

  test('the doctor says when it was, what may be missing, and warns for a day', () => {
    const text =
      'The database failed over at 2026-11-27 14:02 UTC from timeline 5 to 6; replication was asynchronous: ' +
      'events of up to 7 s may be missing. 202 outcomes had no delivery.';
    expect(judge()).toEqual({ name: 'failover', status: 'warn', text });
    expect(judge({}, 25)).toMatchObject({ status: 'ok', text });
    expect(judge({ lostSeconds: null, unknownOutcomes: 0 }).text).toContain(
      'events of its last moments may be missing',
    );
  });

  test('nothing is missing when it was synchronous; of what no daemon saw, all is said', () => {
    expect(judge({ wasSynchronous: true, unknownOutcomes: 0 })).toMatchObject({ status: 'ok' });
    expect(judge({ wasSynchronous: null, lostSeconds: null }).text).toContain('to 6, or was restored: events of');
    expect(judgeFailover(null, at).status).toBe('ok');
  });
});

test('a later timeline is a failover, a lower one another cluster, and outcomes count by timeline', async () => {
  await using stack = await DeliveryStack.open();
  const { pool } = stack.services.db;
  const failover = async () => (await readInstallation(pool)).failover;
  const first = await noteFailover(pool, 5);
  expect(await failover()).toBeNull();
  await noteUnknownOutcomes(pool, [1, 2], 5);
  await noteUnknownOutcomes(pool, [3], 6); // before the failover is noticed
  await noteFailover(pool, 6, await noteFailover(pool, 6, first));
  expect(await failover()).toMatchObject({ fromTimeline: 5, toTimeline: 6, wasSynchronous: false, unknownOutcomes: 1 });
  await noteFailover(pool, 7); // by a daemon that has just started
  expect(await failover()).toMatchObject({
    toTimeline: 7,
    wasSynchronous: null,
    lostSeconds: null,
    unknownOutcomes: 0,
  });
  await noteFailover(pool, 1);
  expect(await failover()).toBeNull();
});
