import { describe, expect, test } from 'vitest';
import {
  cpuBetween,
  type ProcessStat,
  parsePeakMemory,
  parseStat,
  readPeakMemory,
  readStat,
  treeSeconds,
} from '../../bench/processes.js';

const line = (name: string) =>
  `4711 (${name}) S 17 4711 4711 0 -1 4194560 1 2 3 4 150 250 1000 2000 20 0 1 0 12345 1 2 18446744073709551615`;

describe('a line of /proc/<pid>/stat', () => {
  test('gives the parent, and CPU time in seconds', () => {
    expect(parseStat(line('postgres'))).toEqual({
      parent: 17,
      name: 'postgres',
      ownSeconds: 4,
      endedChildrenSeconds: 30,
    });
  });

  test('may have a name with blanks and brackets', () => {
    expect(parseStat(line('a) S 1 (b'))).toMatchObject({ name: 'a) S 1 (b', parent: 17, ownSeconds: 4 });
  });

  test.each(['', 'nonsense', '1 (short) S 2 3'])('is refused when it is %j', (text) => {
    expect(() => parseStat(text)).toThrow('Not a line');
  });
});

describe('the peak of memory', () => {
  test('is VmHWM, in MiB', () => {
    expect(parsePeakMemory('VmPeak:\t  999 kB\nVmHWM:\t  2048 kB\nVmRSS:\t  1 kB\n')).toBe(2);
  });

  test('is unknown for a process without memory', () => {
    expect(parsePeakMemory('Name:\tkthreadd\n')).toBeNull();
  });
});

describe('the CPU time of a tree of processes', () => {
  const stat = (parent: number, ownSeconds: number, endedChildrenSeconds = 0): ProcessStat => ({
    parent,
    name: '',
    ownSeconds,
    endedChildrenSeconds,
  });
  const stats = new Map([
    [1, stat(0, 1000)],
    [10, stat(1, 1, 100)],
    [11, stat(10, 2)],
    [12, stat(11, 4, 200)],
    [20, stat(1, 500)],
  ]);

  test('counts the root, what it has started, and what has ended since', () => {
    expect(treeSeconds(stats, 10)).toBe(307);
  });

  test('is 0 when the root has gone', () => {
    expect(treeSeconds(stats, 99)).toBe(0);
  });

  test('is told as the difference of two moments, or not at all', () => {
    const before = { service: 1, postgres: 2, receiver: 3, load: 4 };
    const after = { service: 2, postgres: 4, receiver: 6, load: 8 };
    expect(cpuBetween(before, after)).toEqual(before);
    expect(cpuBetween(null, after)).toBeNull();
    expect(cpuBetween(before, null)).toBeNull();
  });
});

describe.runIf(process.platform === 'linux')('this process', () => {
  test('can be read', () => {
    expect(readStat(process.pid)).toMatchObject({ parent: process.ppid });
    expect(readPeakMemory(process.pid)).toBeGreaterThan(10);
  });

  test('is told from one that does not run', () => {
    expect([readStat(2 ** 30), readPeakMemory(2 ** 30)]).toEqual([null, null]);
  });
});
