import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { figuresOf } from '../../bench/figures.js';
import { goals } from '../../bench/goals.js';
import { describeMachine } from '../../bench/machine.js';
import { Results, resultOf } from '../../bench/results.js';
import type { Measurement } from '../../bench/scenario.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { measurement } from './measurement.js';

const durability = { version: '18.4', fsync: 'on', synchronousCommit: 'on' };
const options = { json: undefined, seconds: 4, set: {}, nodeFlags: [] };

function resultWith(name: string, ...runs: Partial<Measurement>[]) {
  const figures = runs.map((changes) => figuresOf({ ...measurement, ...changes }, 40_000, null));
  return resultOf({ name, title: name, settings: {} }, figures, goals[name] ?? []);
}

function resultsOf(...results: ReturnType<typeof resultWith>[]): Results {
  const all = new Results(describeMachine(), options);
  for (const result of results) {
    all.add(result, durability);
  }
  return all;
}

describe('the result of a scenario', () => {
  test('has medians, and what became of its goals', () => {
    const result = resultWith('batch', { seconds: 4 }, { seconds: 2 }, { seconds: 1 });
    expect(result.medians).toMatchObject({ deliveriesPerSecond: 10_000 });
    expect(result.goals).toMatchObject([{ state: 'met' }]);
    expect(result.alarms).toEqual({});
  });

  test.each([
    [{ lost: 1 }, { lost: 2 }],
    [{ lost: -1 }, { lost: -2 }],
    [{ unrecorded: 3 }, { unrecorded: 6 }],
    [{ duplicates: 1 }, { duplicates: 2 }],
    [{ signaturesWrong: 1 }, { signaturesWrong: 2 }],
    [{ signaturesChecked: 0 }, { signaturesUnchecked: 2 }],
  ])('of runs with %j has the alarms %j', (changes, alarms) => {
    expect(resultWith('batch', {}, changes, changes).alarms).toEqual(alarms);
  });

  test('that delivers nothing checks no signature, and has no alarm for it', () => {
    const run = figuresOf({ ...measurement, signaturesChecked: 0 }, null, null);
    expect(resultOf({ name: 'keys', title: '', settings: {} }, [run], []).alarms).toEqual({});
  });
});

describe('the results', () => {
  test('make the bench fail when one scenario has an alarm, in whichever run', () => {
    const good = resultWith('batch', {}, {});
    const bad = resultWith('drain', {}, { lost: 1 });
    expect([resultsOf().exitCode, resultsOf(good).exitCode]).toEqual([0, 0]);
    const results = resultsOf(bad, good);
    expect([results.exitCode, results.alarming]).toEqual([1, ['drain']]);
  });

  test('do not fail for a goal that is missed', () => {
    const slow = resultWith('batch', { seconds: 100 });
    expect(slow.goals).toMatchObject([{ state: 'missed' }]);
    expect(resultsOf(slow).exitCode).toBe(0);
  });

  test('are written with each scenario', () => {
    const json = join(temporaryFolder(), 'figures.json');
    const results = new Results(describeMachine(), { ...options, json });
    const names = () => JSON.parse(readFileSync(json, 'utf8')).scenarios.map((one: { name: string }) => one.name);
    expect(existsSync(json)).toBe(false);
    results.add(resultWith('batch', {}), durability);
    expect(names()).toEqual(['batch']);
    results.add(resultWith('drain', {}), durability);
    expect(names()).toEqual(['batch', 'drain']);
    expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({ durability, seconds: 4, set: {} });
  });
});
