import { parseArgs } from 'node:util';

export interface Options {
  /** Names of scenarios, in the order of the table. */
  scenarios: readonly string[];
  /** How long a measurement emits. */
  seconds: number;
  /** Measurements of each scenario; the medians are shown. */
  runs: number;
  /** Where to write all figures as JSON. */
  json: string | undefined;
  /** A folder for CPU profiles of the service. Its figures are then those of a slower service. */
  profile: string | undefined;
}

export const usage = `npm run bench -- [scenario…|all] [--seconds n] [--runs n] [--json file] [--profile folder]`;

const DEFAULT_SECONDS = 4;
const DEFAULT_RUNS = 3;

/** What is wrong with the command line, as a sentence. */
export class UsageError extends Error {}

/**
 * Reads the command line.
 *
 * @param known all scenarios' names
 * @param byDefault those that run when none is named
 * @throws UsageError
 */
export function readOptions(
  args: readonly string[],
  known: readonly string[],
  byDefault: readonly string[],
): Options {
  const { values, positionals } = parse(args);
  const unknown = positionals.filter((name) => name !== 'all' && !known.includes(name));
  if (unknown.length > 0) {
    throw new UsageError(`Unknown scenario ${unknown.join(', ')}; there are ${known.join(', ')} and all.`);
  }
  const wanted = positionals.length === 0 ? byDefault : positionals;
  return {
    scenarios: known.filter((name) => wanted.includes(name) || wanted.includes('all')),
    seconds: within('--seconds', values.seconds, DEFAULT_SECONDS, 0.5, 600),
    runs: within('--runs', values.runs, DEFAULT_RUNS, 1, 100),
    json: values.json,
    profile: values.profile,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        seconds: { type: 'string' },
        runs: { type: 'string' },
        json: { type: 'string' },
        profile: { type: 'string' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function within(name: string, text: string | undefined, fallback: number, min: number, max: number): number {
  const value = text === undefined ? fallback : Number(text === '' ? Number.NaN : text);
  if (!(value >= min && value <= max) || (name === '--runs' && !Number.isInteger(value))) {
    throw new UsageError(`${name} is ${text}; allowed: ${min} to ${max}.`);
  }
  return value;
}
