import { expect, test } from 'vitest';
import { type Facts, lagOf, problemsOf } from '../../dashboard/screens/installation/overall-status.js';

const NOW = Date.parse('2026-11-26T12:00:00Z');
const ago = (seconds: number) => new Date(NOW - seconds * 1_000).toISOString();
const well: Facts = {
  daemons: [
    { workerId: 'a', host: 'one', lastSeenAt: ago(4) },
    { workerId: 'b', host: 'two', lastSeenAt: ago(30) },
  ],
  backlog: { due: 3 },
  closed: { due: 0, webhooks: 0, until: null, oldestOtherDueAt: ago(180) },
  jobsPutAside: 0,
  findings: [{ name: 'clock', level: 'OK', text: 'The clocks agree.' }],
};
const problems = (change: Partial<Facts>) => problemsOf({ ...well, ...change }, NOW);

test('An installation whose daemons have spoken within 30 s and whose deliveries wait three minutes at most is well', () => {
  expect(problems({})).toEqual([]);
  expect(problems({ closed: { due: 0, webhooks: 0, until: null, oldestOtherDueAt: null } })).toEqual([]);
});

test('Without a daemon that has spoken lately nothing is delivered, which comes before all else', () => {
  const finding = { name: 'daemons', level: 'FAIL', text: 'No daemon is connected.' } as const;
  const other = { name: 'fsync', level: 'FAIL', text: 'fsync is off.' } as const;
  expect(problems({ daemons: [], findings: [other, finding] })).toEqual([
    { kind: 'NO_DAEMON', level: 'FAIL', since: undefined },
    { kind: 'FINDING', ...other },
  ]);
  const lastSeenAt = ago(31);
  const silent = [
    { workerId: 'a', host: 'one', lastSeenAt: ago(90) },
    { workerId: 'b', host: 'two', lastSeenAt },
  ];
  expect(problems({ daemons: silent })).toEqual([{ kind: 'NO_DAEMON', level: 'FAIL', since: lastSeenAt }]);
});

test('A daemon that is silent among others is named by its machine', () => {
  const daemons = [...well.daemons, { workerId: 'c', host: 'three', lastSeenAt: ago(31) }];
  expect(problems({ daemons })).toEqual([{ kind: 'SILENT_DAEMONS', level: 'WARN', hosts: ['three'] }]);
});

test('A delivery that is due for more than three minutes is late, and the finding that says so is not said twice', () => {
  const findings = [{ name: 'backlog', level: 'WARN', text: 'Due: 3.' }] as const;
  const closed = { due: 1, webhooks: 1, until: ago(-60), oldestOtherDueAt: ago(181) };
  expect(problems({ closed, findings })).toEqual([{ kind: 'LATE', level: 'WARN', oldestMs: 181_000, due: 2 }]);
});

test('Jobs that were put aside are a problem, and so is each finding that is not as it should be', () => {
  const findings = [
    { name: 'quarantine', level: 'WARN', text: 'Deliveries in quarantine: 2.' },
    { name: 'autovacuum', level: 'WARN', text: 'Vacuum attempts.' },
    { name: 'fsync', level: 'FAIL', text: 'fsync is off.' },
  ] as const;
  expect(problems({ jobsPutAside: 2, findings })).toEqual([
    { kind: 'FINDING', level: 'FAIL', name: 'fsync', text: 'fsync is off.' },
    { kind: 'JOBS_ASIDE', level: 'WARN', jobs: 2 },
    { kind: 'FINDING', level: 'WARN', name: 'autovacuum', text: 'Vacuum attempts.' },
  ]);
});

test('Nothing is late by a clock that is behind', () => {
  expect(lagOf({ due: 0, webhooks: 0, oldestOtherDueAt: ago(-5) }, NOW)).toBe(0);
});
