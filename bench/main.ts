import '../src/platform/node/node-version.js';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { NoBrowser } from './browser.js';
import type { Durability } from './database.js';
import { type Figures, figuresOf } from './figures.js';
import { goals } from './goals.js';
import { describeMachine } from './machine.js';
import { casesOf, HelpWanted, type Options, readOptions, UsageError, usage } from './options.js';
import { formatDurability, formatGoals, formatMachine, formatScenario } from './report.js';
import { type Result, Results, resultOf } from './results.js';
import { Rig } from './rig.js';
import type { Scenario } from './scenario.js';
import { defaultScenarios, scenarios } from './scenarios/index.js';

/** `npm run bench`: measures the service on this machine. docs/performance.md explains the output. */

const BARE_SECONDS = 1.5;
/** Not counted: it takes so long until they are made no faster. */
const BARE_WARM_UP_SECONDS = 5;
const DEFAULT_RUNS = 3;
const EXIT_BY_SIGINT = 130;

let current: Rig | undefined;
let interrupted = false;

async function main(): Promise<void> {
  const names = (list: readonly Scenario[]) => list.map(({ name }) => name);
  const options = readOptions(process.argv.slice(2), names(scenarios), names(defaultScenarios));
  const chosen = scenarios
    .filter(({ name }) => options.scenarios.includes(name))
    .map((scenario) => ({ scenario, cases: casesOf(scenario, options.cases) }));
  const machine = describeMachine();
  print(formatMachine(machine));
  const results = new Results(machine, options);
  let durability: Durability | undefined;
  for (const { scenario, cases } of chosen) {
    const run = await runScenario(scenario, { ...options, cases });
    if (durability === undefined) {
      durability = run.durability;
      print(formatDurability(durability));
    }
    results.add(run.result, durability);
    process.exitCode = results.exitCode;
    print(`\n${formatScenario(scenario.name, scenario.title, run.result.runs)}`);
    print(formatGoals(run.result.goals));
    run.notes.map(print);
  }
  if (results.alarming.length > 0) {
    process.stderr.write(`bench: not to be believed, for what is in capitals: ${results.alarming.join(', ')}\n`);
  }
}

interface Run {
  result: Result;
  durability: Durability;
  /** Of the last measurement. */
  notes: readonly string[];
}

/** On an installation of its own, so that no scenario inherits another one's tables. */
async function runScenario(scenario: Scenario, options: Options): Promise<Run> {
  const { name, title, delivers = true } = scenario;
  const { seconds, deliveries, large, cases, seed, profile } = options;
  const settings = { ...scenario.settings, ...options.set };
  const nodeFlags = [...options.nodeFlags];
  if (profile !== undefined) {
    mkdirSync(profile, { recursive: true });
    nodeFlags.push('--cpu-prof', `--cpu-prof-dir=${resolve(profile)}`);
  }
  const rig = new Rig({ settings, nodeFlags, seconds, deliveries, large, cases, seed });
  current = rig;
  try {
    await rig.open();
    const measure = await scenario.prepare(rig);
    if (delivers) {
      await barePosts(rig, BARE_WARM_UP_SECONDS);
    }
    const figures: Figures[] = [];
    let notes: readonly string[] = [];
    for (let i = 0; i < (options.runs ?? scenario.runs ?? DEFAULT_RUNS); i++) {
      const barePostsPerSecond = delivers ? await barePosts(rig, BARE_SECONDS) : null;
      const measurement = await measure();
      notes = measurement.notes ?? [];
      figures.push(figuresOf(measurement, barePostsPerSecond, rig.peakMemory()));
    }
    const durability = await (await rig.database()).durability();
    return { result: resultOf({ name, title, settings }, figures, goals[name] ?? []), durability, notes };
  } finally {
    await rig[Symbol.asyncDispose]();
    current = undefined;
  }
}

/** @returns how many a second */
async function barePosts(rig: Rig, seconds: number): Promise<number> {
  const { requests, startedAt, endedAt } = await rig.barePosts({ seconds });
  return requests / ((endedAt - startedAt) / 1_000_000);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function interrupt(): Promise<void> {
  if (!interrupted) {
    interrupted = true;
    process.stderr.write('bench: ending what was started\n');
    await current?.[Symbol.asyncDispose]();
    process.exit(EXIT_BY_SIGINT);
  }
}

function textOf(error: Error): string | undefined {
  if (error instanceof UsageError) {
    return `${error.message}\n${usage}`;
  }
  return error instanceof NoBrowser ? error.message : error.stack;
}

process.on('SIGINT', interrupt);
process.on('SIGTERM', interrupt);
// The reader is gone, as with `| head`.
process.stdout.on('error', interrupt);

try {
  await main();
} catch (error) {
  if (error instanceof HelpWanted) {
    print(
      `${usage}\nScenarios: ${scenarios.map(({ name }) => name).join(', ')}. docs/performance.md says what they measure.`,
    );
    process.exit();
  }
  // After an interruption things fail because they were ended; `interrupt` exits when all of them have.
  if (!interrupted) {
    process.stderr.write(`bench: ${textOf(error as Error)}\n`);
    process.exitCode = 1;
  }
}
