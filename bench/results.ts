import { writeFileSync } from 'node:fs';
import type { Durability } from './database.js';
import { alarmsOf, type Figures, type Row, rowsOf } from './figures.js';
import { type Goal, type Verdict, verdictOf } from './goals.js';
import type { Machine } from './machine.js';
import type { Options } from './options.js';

/** The result of all runs of a scenario. */
export interface Result {
  name: string;
  title: string;
  settings: Record<string, string>;
  runs: Figures[];
  medians: Record<string, number>;
  /** Sums over all runs of the figures that should be zero and are not. */
  alarms: Record<string, number>;
  goals: Verdict[];
}

export function resultOf(
  { name, title, settings }: Pick<Result, 'name' | 'title' | 'settings'>,
  runs: Figures[],
  goals: readonly Goal[],
): Result {
  const medians = valuesOf(rowsOf(runs), ({ median }) => median);
  const alarms = valuesOf(alarmsOf(runs), ({ values }) => values.reduce((sum, value) => sum + value, 0));
  return {
    name,
    title,
    settings,
    runs,
    medians,
    alarms,
    goals: goals.map((goal) => verdictOf(goal, medians)),
  };
}

const valuesOf = (rows: readonly Row[], value: (row: Row) => number) =>
  Object.fromEntries(rows.map((row) => [row.name, value(row)]));

/** The results so far. The JSON file is written after each result, so that a later failure loses none. */
export class Results {
  readonly #results: Result[] = [];

  constructor(
    private readonly machine: Machine,
    private readonly options: Pick<Options, 'json' | 'seconds' | 'set' | 'nodeFlags'>,
  ) {}

  add(result: Result, durability: Durability): void {
    this.#results.push(result);
    const { json, seconds, set, nodeFlags } = this.options;
    if (json !== undefined) {
      const all = { machine: this.machine, durability, seconds, set, nodeFlags, scenarios: this.#results };
      writeFileSync(json, `${JSON.stringify(all, null, 2)}\n`);
    }
  }

  /** Names of the scenarios that have alarms: their figures are not to be believed. */
  get alarming(): string[] {
    return this.#results.filter(({ alarms }) => Object.keys(alarms).length > 0).map(({ name }) => name);
  }

  get exitCode(): 0 | 1 {
    return this.alarming.length > 0 ? 1 : 0;
  }
}
