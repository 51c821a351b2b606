import { parseArgs } from 'node:util';

export interface Options {
  /** Names of scenarios, in the order of the table. */
  scenarios: readonly string[];
  /** How long a measurement emits. */
  seconds: number;
  /** Measurements of each scenario; the medians are shown. Unset: the scenario's own number. */
  runs: number | undefined;
  /** How many deliveries a scenario with a history puts into the tables. */
  deliveries: number;
  /** The two installations of the scenario `large`. */
  large: LargeOptions;
  /** Cases of the scenarios that have some. Empty: the usual ones. */
  cases: readonly string[];
  /** What a scenario draws by chance is drawn from this. */
  seed: number;
  /** Where to write all figures as JSON. */
  json: string | undefined;
  /** A folder for CPU profiles of the service. Its figures are then those of a slower service. */
  profile: string | undefined;
  /** Settings of the service, over those of the scenario. */
  set: Readonly<Record<string, string>>;
  /** Flags for the service's Node processes. */
  nodeFlags: readonly string[];
}

export interface LargeOptions {
  tenants: number;
  webhooks: number;
  /** How long it is watched while nothing is emitted, in seconds. */
  idleSeconds: number;
  /** Databases that stay: one that is empty is filled. Unset: built-in ones, which are filled and removed. */
  urls: { large: string; small: string } | undefined;
}

export const usage =
  'npm run bench -- [scenario…|all] [--case name|all]… [--seed n] [--seconds n] [--runs n] [--deliveries n] [--tenants n] [--webhooks n] ' +
  '[--idle seconds] [--large-url url --small-url url] [--json file] ' +
  '[--profile folder] [--set NAME=value]… [--node-flag=--flag]…';

const DEFAULT_SECONDS = 4;
const DEFAULT_DELIVERIES = 10_000_000;
const DEFAULT_TENANTS = 100_000;
const DEFAULT_WEBHOOKS = 1_000_000;
const DEFAULT_IDLE_SECONDS = 600;
const SEED_MAX = 999_999;
const whole = ['--runs', '--deliveries', '--tenants', '--webhooks', '--seed'];

/** The usage was asked for; nothing is measured. */
export class HelpWanted extends Error {}

/** A fault of the command line, as a sentence. */
export class UsageError extends Error {}

/**
 * Reads the command line.
 *
 * @param known all scenarios' names
 * @param byDefault those that run when none is named
 * @throws UsageError; HelpWanted for --help
 */
export function readOptions(args: readonly string[], known: readonly string[], byDefault: readonly string[]): Options {
  const { values, positionals } = parse(args);
  if (values.help) {
    throw new HelpWanted();
  }
  const unknown = positionals.filter((name) => name !== 'all' && !known.includes(name));
  if (unknown.length > 0) {
    throw new UsageError(`Unknown scenario ${unknown.join(', ')}; there are ${known.join(', ')} and all.`);
  }
  const wanted = positionals.length === 0 ? byDefault : positionals;
  return {
    scenarios: known.filter((name) => wanted.includes(name) || wanted.includes('all')),
    seconds: within('--seconds', values.seconds, DEFAULT_SECONDS, 0.5, 600),
    runs: values.runs === undefined ? undefined : within('--runs', values.runs, 1, 1, 100),
    cases: values.case ?? [],
    seed: within('--seed', values.seed, Math.ceil(Math.random() * SEED_MAX), 1, SEED_MAX),
    deliveries: within('--deliveries', values.deliveries, DEFAULT_DELIVERIES, 10_000, 1_000_000_000),
    large: largeOptions(values),
    json: values.json,
    profile: values.profile,
    set: Object.fromEntries((values.set ?? []).map(assignment)),
    nodeFlags: values['node-flag'] ?? [],
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        seconds: { type: 'string' },
        runs: { type: 'string' },
        deliveries: { type: 'string' },
        tenants: { type: 'string' },
        webhooks: { type: 'string' },
        idle: { type: 'string' },
        'large-url': { type: 'string' },
        'small-url': { type: 'string' },
        case: { type: 'string', multiple: true },
        seed: { type: 'string' },
        json: { type: 'string' },
        profile: { type: 'string' },
        set: { type: 'string', multiple: true },
        'node-flag': { type: 'string', multiple: true },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function largeOptions(values: ReturnType<typeof parse>['values']): LargeOptions {
  const { 'large-url': large, 'small-url': small } = values;
  if ((large === undefined) !== (small === undefined)) {
    throw new UsageError('--large-url and --small-url are given together, or neither of them.');
  }
  const tenants = within('--tenants', values.tenants, DEFAULT_TENANTS, 2, 10_000_000);
  return {
    tenants,
    webhooks: within('--webhooks', values.webhooks, Math.max(DEFAULT_WEBHOOKS, 2 * tenants), 2 * tenants, 100_000_000),
    idleSeconds: within('--idle', values.idle, DEFAULT_IDLE_SECONDS, 5, 7_200),
    urls: large === undefined || small === undefined ? undefined : { large, small },
  };
}

function assignment(text: string): [name: string, value: string] {
  const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new UsageError(`--set is ${text}; allowed: NAME=value.`);
  }
  return [name, value];
}

function within(name: string, text: string | undefined, fallback: number, min: number, max: number): number {
  const value = text === undefined ? fallback : Number(text === '' ? Number.NaN : text);
  if (!(value >= min && value <= max) || (whole.includes(name) && !Number.isInteger(value))) {
    throw new UsageError(`${name} is ${text}; allowed: ${min} to ${max}.`);
  }
  return value;
}

/**
 * The cases of one scenario that are measured, by their names.
 *
 * @throws UsageError when none of those that were asked for is one of its own
 */
export function casesOf(
  { name, cases = [] }: { name: string; cases?: readonly { name: string; usual: boolean }[] },
  asked: readonly string[],
): string[] {
  const own = cases.map((one) => one.name);
  const wanted =
    asked.length === 0
      ? cases.filter(({ usual }) => usual).map((one) => one.name)
      : own.filter((one) => asked.includes(one) || asked.includes('all'));
  if (own.length > 0 && wanted.length === 0) {
    throw new UsageError(`--case is ${asked.join(', ')}; ${name} has ${own.join(', ')} and all.`);
  }
  return wanted;
}
