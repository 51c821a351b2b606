import { describe, expect, test } from 'vitest';
import { judgeHosts, judgeReplication } from '../../src/operations/doctor/judge-replication.js';
import type { ReplicationFacts } from '../../src/operations/installation/read-replication.js';

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
