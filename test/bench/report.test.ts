import { describe, expect, test } from 'vitest';
import { type Figures, figuresOf, rowsOf } from '../../bench/figures.js';
import { Histogram } from '../../bench/histogram.js';
import { casesOf, readOptions, UsageError } from '../../bench/options.js';
import { formatNumber, formatScenario } from '../../bench/report.js';
import { type Measurement, nothingDelivered } from '../../bench/scenario.js';
import { BareTarget, EmitTarget } from '../../bench/targets.js';
import { measurement } from './measurement.js';

describe('the figures of a run', () => {
  test('are rates, and CPU time per 10,000 deliveries', () => {
    const figures = figuresOf(measurement, 40_000, 120);
    expect(figures).toMatchObject({ deliveriesPerSecond: 4000, percentOfBarePosts: 10, latency: null });
    expect(figures.cpuSecondsPer10k).toEqual({
      service: 2,
      postgres: 1,
      serviceAndPostgres: 3,
      receiver: 0.5,
      load: 1.5,
    });
  });

  test('become rows with the median of the runs; what is unknown has none', () => {
    const runs = [1, 4, 2].map((seconds): Figures => figuresOf({ ...measurement, seconds, cpu: null }, 1, null));
    const rows = rowsOf(runs);
    expect(rows.find(({ name }) => name === 'deliveriesPerSecond')).toEqual({
      name: 'deliveriesPerSecond',
      values: [20_000, 5000, 10_000],
      median: 10_000,
    });
    expect(rows.map(({ name }) => name)).toContain('emitsPerSecond');
    expect(rows.filter(({ name }) => /cpu|memory|latency/i.test(name))).toEqual([]);
  });
});

describe('the report', () => {
  const formatRuns = (...runs: Partial<Measurement>[]) => {
    const figures = runs.map((changes) => figuresOf({ ...measurement, ...changes }, 1, null));
    return formatScenario('x', 'y', figures);
  };

  test('shows the medians, with the range of several runs', () => {
    const runs = [4, 5].map((seconds) => figuresOf({ ...measurement, seconds }, 40_000, 120));
    const text = formatScenario('throughput', 'single emits', runs);
    expect(text).toContain('throughput: single emits (medians of 2 runs)');
    expect(text).toMatch(/deliveries\/s +4,500 {2}\(4,000 – 5,000\)/);
  });

  test('says of how many runs a median is, where not all of them have the figure', () => {
    const format = (...values: number[]) => formatRuns(...values.map((aloneP99Ms) => ({ details: { aloneP99Ms } })));
    expect(format(4, Number.NaN, 6)).toMatch(/aloneP99Ms +5 {2}\(4 – 6\) {2}\(2 of 3\)$/m);
    expect(format(Number.NaN, 7)).toMatch(/aloneP99Ms +7 {2}\(1 of 2\)$/m);
    expect(format(4, 6)).not.toContain(' of 2)');
  });

  test('of a scenario that delivers nothing has neither deliveries nor bare POSTs', () => {
    const run = figuresOf({ ...measurement, ...nothingDelivered }, null, 120);
    const text = formatScenario('keys', 'checks', [run]);
    expect(text).toContain('emitsPerSecond');
    expect(text).not.toMatch(/deliveries|POST|SIGNATURE|NaN/);
  });

  test('speaks of what must not be only when there is any, and shows the worst run', () => {
    expect(formatRuns({})).not.toMatch(/LOST|UNRECORDED|DUPLICATES|SIGNATURE/);
    expect(formatRuns({ lost: 1 })).toMatch(/LOST +1/);
    expect(formatRuns({}, { lost: -2 }, { lost: 1 })).toMatch(/LOST +-2 {2}\(-2 – 1\)/);
    expect(formatRuns({ unrecorded: 4 })).toMatch(/UNRECORDED +4/);
    expect(formatRuns({ signaturesChecked: 0 })).toMatch(/NO SIGNATURE CHECKED +1/);
    expect(formatRuns({ duplicates: 2, signaturesWrong: 3 })).toMatch(/DUPLICATES +2[\s\S]*WRONG SIGNATURES +3/);
  });

  test('shows the latency in milliseconds', () => {
    const histogram = new Histogram();
    histogram.record(2500);
    expect(formatRuns({ latency: histogram.data() })).toMatch(/p50 +2\.50\n +p90 +2\.50\n +p99 +2\.50\n +max +2\.50/);
  });

  test.each([
    [1234.56, '1,235'],
    [99.96, '100.0'],
    [12.34, '12.3'],
    [1.234, '1.23'],
    [0, '0'],
    [7, '7'],
  ])('writes %d as %s', (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });
});

describe('the command line', () => {
  const read = (...args: string[]) => readOptions(args, ['throughput', 'latency', 'drain'], ['throughput']);

  test('names scenarios, and knows all of them', () => {
    expect(read().scenarios).toEqual(['throughput']);
    expect(read('drain', 'throughput').scenarios).toEqual(['throughput', 'drain']);
    expect(read('all').scenarios).toEqual(['throughput', 'latency', 'drain']);
  });

  test('takes seconds, runs and files; the scenario decides on the runs otherwise', () => {
    const options = read('--seconds', '2.5', '--runs', '5', '--json', 'a.json', '--profile', 'b');
    expect(options).toMatchObject({ seconds: 2.5, runs: 5, json: 'a.json', profile: 'b' });
    expect(read().runs).toBeUndefined();
  });

  test('takes a number of deliveries, which is whole; ten million unless told otherwise', () => {
    expect(read().deliveries).toBe(10_000_000);
    expect(read('--deliveries', '10000').deliveries).toBe(10_000);
    for (const text of ['9999', '10000.5', 'many']) {
      expect(() => read('--deliveries', text), text).toThrow(UsageError);
    }
  });

  test('chooses cases of a scenario: the usual ones, those that are named, or all', () => {
    const cases = [
      { name: 'short', usual: true },
      { name: 'long', usual: false },
    ];
    const chosen = (...args: string[]) => casesOf({ name: 'stall', cases }, read(...args).cases);
    expect(chosen()).toEqual(['short']);
    expect(chosen('--case', 'long')).toEqual(['long']);
    expect(chosen('--case', 'long', '--case', 'elsewhere')).toEqual(['long']);
    expect(chosen('--case', 'all')).toEqual(['short', 'long']);
    expect(() => chosen('--case', 'elsewhere')).toThrow(UsageError);
    expect(casesOf({ name: 'latency' }, ['long'])).toEqual([]);
  });

  test('takes settings and flags for the service, any number of each', () => {
    const options = read('--set', 'A_B=1', '--set', 'URL=x=y', '--node-flag=--a', '--node-flag=--b=1');
    expect(options).toMatchObject({ set: { A_B: '1', URL: 'x=y' }, nodeFlags: ['--a', '--b=1'] });
    expect(read()).toMatchObject({ set: {}, nodeFlags: [] });
  });

  test.each([
    [['--set', 'lower=1'], '--set is lower=1'],
    [['--set', 'NAME'], '--set is NAME'],
    [['nonsense'], 'Unknown scenario nonsense'],
    [['--runs', '0'], '--runs is 0'],
    [['--runs', '1.5'], '--runs is 1.5'],
    [['--runs', '101'], '--runs is 101'],
    [['--seconds', '0.4'], '--seconds is 0.4'],
    [['--seconds', ''], '--seconds is'],
    [['--seconds', '601'], '--seconds is 601'],
    [['--speed', '1'], '--speed'],
  ])('refuses %j', (args, message) => {
    expect(() => read(...args)).toThrow(UsageError);
    expect(() => read(...args)).toThrow(message);
  });
});

describe('answers to the load', () => {
  test('of emitEvent are good when they name a count of deliveries', () => {
    const target = new EmitTarget('http://127.0.0.1:1', [{ apiKey: 'hw_1' }], null);
    expect(target.deliveriesIn(200, '{"data":{"emitEvent":{"event":{"id":"1"},"deliveryCount":3}}}')).toBe(3);
    expect(target.deliveriesIn(200, '{"errors":[{"extensions":{"code":"CONFLICT"}}],"data":null}')).toBeNull();
    expect(target.deliveriesIn(503, '{"data":{"emitEvent":{"deliveryCount":3}}}')).toBeNull();
  });

  test('of emitEvents are good when every event was accepted', () => {
    const target = new EmitTarget('http://127.0.0.1:1', [{ apiKey: 'hw_1' }], 2);
    const result = (error: string) => `{"event":{"id":"1"},"deliveryCount":1,"error":${error}}`;
    const answer = (...errors: string[]) => `{"data":{"emitEvents":{"results":[${errors.map(result)}]}}}`;
    expect(target.deliveriesIn(200, answer('null', 'null'))).toBe(2);
    expect(target.deliveriesIn(200, answer('null'))).toBeNull();
    expect(target.deliveriesIn(200, answer('null', '{"code":"BAD_USER_INPUT","detail":"no"}'))).toBeNull();
  });

  test('of the receiver are good when they are 200, and each POST looks like a delivery', () => {
    const target = new BareTarget('http://127.0.0.1:1/bare/0');
    expect([target.deliveriesIn(200), target.deliveriesIn(500)]).toEqual([1, null]);
    expect(target.request(1)).toMatchObject({ path: '/bare/0', headers: { 'X-Service-Delivery': '1' } });
    expect(target.request(1)).toMatchObject({ headers: { 'X-Service-Delivery': '2' } });
  });
});
