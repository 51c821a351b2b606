import { describe, expect, test } from 'vitest';
import { durationText } from '../../src/operations/doctor/check.js';
import { judgeServer } from '../../src/operations/doctor/judge-server.js';
import type { ServerFacts } from '../../src/operations/installation/examine-server.js';

const healthy: ServerFacts = {
  version: 150_004,
  versionText: '15.4',
  durability: { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' },
  replication: { synchronousNames: '', synchronousCommit: 'on', standbys: [] },
  maxConnections: 100,
  connections: 20,
  hiddenSessions: 0,
  isStandby: false,
  clock: new Date(0),
  mayUseApiRole: true,
  apiRoleExists: true,
  user: 'owner',
  oldestTransactionSeconds: 0,
  oldestIdleTransactionSeconds: 0,
  lockingSessions: [],
  databaseSize: '2048 MB',
  tables: [{ name: 'events', size: '1024 MB' }],
  unvacuumed: [],
};
const psql = { pid: 4711, user: 'postgres', application: 'psql' };
const calm = { poolMax: 10, clockAheadSeconds: 0, clockErrorSeconds: 0 };

function statusOf(name: string, facts: Partial<ServerFacts>, circumstances: Partial<typeof calm> = {}) {
  const checks = judgeServer({ ...healthy, ...facts }, { ...calm, ...circumstances }, 'hookwright_api');
  return checks.find((check) => check.name === name)?.status;
}

describe('the doctor, of the server', () => {
  test('finds a healthy one healthy', () => {
    const checks = judgeServer(healthy, calm, 'hookwright_api');
    expect(checks.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(checks.find(({ name }) => name === 'disk')?.text).toContain(
      'The database has 2048 MB; most of it: events about 1024 MB.',
    );
  });

  test.each([
    ['postgres version', { version: 150_000 }, { version: 149_999 }, 'fail'],
    ['primary', { isStandby: false }, { isStandby: true }, 'fail'],
    ['api role', {}, { mayUseApiRole: false }, 'fail'],
    ['api role', {}, { apiRoleExists: false, mayUseApiRole: false }, 'fail'],
    ['connections', { connections: 77 }, { connections: 78 }, 'warn'],
    ['connections', { maxConnections: 50 }, { maxConnections: 49 }, 'fail'],
    ['transactions', { oldestTransactionSeconds: 300 }, { oldestTransactionSeconds: 301 }, 'warn'],
    ['transactions', { oldestIdleTransactionSeconds: 60 }, { oldestIdleTransactionSeconds: 61 }, 'warn'],
    ['transactions', { hiddenSessions: 0 }, { hiddenSessions: 1 }, 'warn'],
    ['locks', { lockingSessions: [{ ...psql, seconds: 15 }] }, { lockingSessions: [{ ...psql, seconds: 16 }] }, 'warn'],
    ['autovacuum', {}, { unvacuumed: [{ name: 'jobs', dead: 60_000, live: 5 }] }, 'warn'],
    [
      'synchronous_commit',
      { durability: { ...healthy.durability, synchronous_commit: 'remote_apply' } },
      { durability: { ...healthy.durability, synchronous_commit: 'off' } },
      'fail',
    ],
  ] as const)('%s: %j is fine, %j is not', (name, fine, bad, status) => {
    expect(statusOf(name, fine as Partial<ServerFacts>)).toBe('ok');
    expect(statusOf(name, bad as unknown as Partial<ServerFacts>)).toBe(status);
  });

  test.each([
    [2, 0, 'ok'],
    [2.1, 0, 'warn'],
    [-2.1, 0, 'warn'],
    [60, 0, 'warn'],
    [-60.1, 0, 'fail'],
    [3, 1, 'ok'], // it took two seconds to ask
  ])('a clock that is %d s ahead, known to %d s: %s', (clockAheadSeconds, clockErrorSeconds, status) => {
    expect(statusOf('clock', {}, { clockAheadSeconds, clockErrorSeconds })).toBe(status);
  });

  test('names the session that has rows locked, and what ends it', () => {
    const facts = { ...healthy, lockingSessions: [{ ...psql, seconds: 1_200 }] };
    const { text } = judgeServer(facts, calm, 'hookwright_api').find(({ name }) => name === 'locks')!;
    expect(text).toContain('4711 (postgres, psql, for 20 min)');
    expect(text).toContain('select pg_terminate_backend(4711);');
  });

  test('says durations as people do', () => {
    expect([0, 119, 120, 7_199, 7_200].map(durationText)).toEqual(['0 s', '119 s', '2 min', '120 min', '2 h']);
  });
});
