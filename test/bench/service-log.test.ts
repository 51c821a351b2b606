import { expect, test } from 'vitest';
import { ServiceLog } from '../../bench/service-log.js';

const line = (level: number, msg: string) => `{"level":${level},"time":"2026-01-31T09:30:00.000Z","msg":"${msg}"}\n`;

test('the warnings and errors of a log are kept, also of lines that come in pieces', () => {
  const log = new ServiceLog();
  const text = line(30, 'serving') + line(40, 'the database is silent') + line(50, 'a request failed');
  log.read(text.slice(0, 100));
  log.read(text.slice(100));
  expect(log.troubles.map((one) => JSON.parse(one).msg)).toEqual(['the database is silent', 'a request failed']);
  expect([log.lines, log.silences]).toEqual([3, 1]);
});

test('a log with names of levels has them too', () => {
  const log = new ServiceLog();
  log.read('{"severity":"INFO","message":"serving"}\n{"severity":"ERROR","message":"a request failed"}\n');
  expect(log.troubles).toEqual(['{"severity":"ERROR","message":"a request failed"}']);
});

test('the last ten are kept, each with 4,000 characters at most', () => {
  const log = new ServiceLog();
  for (let number = 0; number < 12; number += 1) {
    log.read(line(50, `${number} ${'x'.repeat(5_000)}`));
  }
  expect(log.troubles.map((one) => /"msg":"(\d+)/.exec(one)?.[1])).toEqual('2 3 4 5 6 7 8 9 10 11'.split(' '));
  expect(Math.max(...log.troubles.map(({ length }) => length))).toBe(4_000);
});
