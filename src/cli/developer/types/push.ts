import { statSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { thisProgram } from '../../../platform/node/this-program.js';
import { ask, RefusedError } from '../connection/ask.js';
import { type Connection, type ConnectionFlags, findConnection } from '../connection/connection.js';
import { compareTypes, type Step } from './compare.js';
import { type ReadTypes, readTypes, type WrittenType } from './files.js';
import { judgeStep } from './impact.js';
import { type RegisteredType, readConverterOf, readRegistry } from './registry.js';

interface PushOptions extends ConnectionFlags {
  check?: boolean;
  dryRun?: boolean;
  yes?: boolean;
  /** The name of a release to create after the push. */
  release?: string;
}

const REGISTER =
  'mutation ($input: RegisterEventTypeInput!) { registerEventType(input: $input) { eventType { version } } }';
const ADD_CONVERTER = 'mutation ($input: AddConverterInput!) { addConverter(input: $input) { proof { fits } } }';
const CREATE_RELEASE = 'mutation ($input: CreateReleaseInput!) { createRelease(input: $input) { release { name } } }';
const UPDATE = 'mutation ($input: UpdateEventTypeInput!) { updateEventType(input: $input) { eventType { version } } }';
/** The exit code when a part is left, because it is refused. */
const EXIT_REFUSED = 1;
/** The exit code for differences, so that a pipeline can tell them from an error. */
const EXIT_DIFFERENT = 2;
const NOT_ASKED = { breaks: false, lines: [] };

/**
 * `hookwright types push`: registers and changes event types as the files of a folder or the webhooks of an OpenAPI
 * document have them, after it has shown the differences and what they break. Types that are not among them stay.
 */
export async function pushTypes(source: string, options: PushOptions): Promise<void> {
  const connection = findConnection(options);
  const { types: written, refused } = await readSource(source);
  const steps = compareTypes(written, await readRegistered(connection, written));
  const due = steps.filter(({ kind }) => kind === 'new' || kind === 'changed');
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const breaking: string[] = [];
  refused.map((why) => `refused: ${why}`).forEach(say);
  for (const step of steps.filter(({ kind }) => kind !== 'unchanged')) {
    shown(step).forEach(say);
    const { breaks, lines } = options.check ? NOT_ASKED : await judgeStep(connection, step);
    lines.map(indented).forEach(say);
    breaking.push(...(breaks ? [step.name] : []));
  }
  say(`${summary(steps)} at ${connection.url}.`);
  if (options.check) {
    process.exitCode = refused.length > 0 ? EXIT_REFUSED : due.length > 0 ? EXIT_DIFFERENT : 0;
    return;
  }
  if (refused.length > 0) {
    process.exitCode = EXIT_REFUSED;
  }
  if (due.length === 0 || options.dryRun || !(options.yes || (await isConfirmed(due.length, breaking)))) {
    say(due.length === 0 ? 'There is nothing to push.' : 'Nothing was pushed.');
    if (due.length > 0 || options.dryRun) {
      return;
    }
  } else {
    await push(connection, due, say);
  }
  if (options.release !== undefined) {
    await ask(connection, CREATE_RELEASE, { input: { name: options.release } });
    say(`Release ${options.release} is created.`);
  }
}

/** The types of the service, those whose files have a converter with their own. */
async function readRegistered(connection: Connection, written: readonly WrittenType[]): Promise<RegisteredType[]> {
  const registered = await readRegistry(connection);
  const withConverter = new Set(written.flatMap(({ name, converter }) => (converter === undefined ? [] : [name])));
  return await Promise.all(
    registered.map(async (type) =>
      withConverter.has(type.name) ? { ...type, converter: await readConverterOf(connection, type.name) } : type,
    ),
  );
}

/** The library for YAML is loaded for a document alone. */
async function readSource(source: string): Promise<ReadTypes> {
  const isFile = statSync(source, { throwIfNoEntry: false })?.isFile() === true;
  return isFile ? (await import('./openapi.js')).readOpenApi(source) : { types: readTypes(source), refused: [] };
}

const indented = (line: string) => `  ${line}`;
const shown = ({ name, kind, lines }: Step): string[] => [`${name}: ${kind}`, ...lines.map(indented)];

function summary(steps: readonly Step[]): string {
  const kinds = ['new', 'changed', 'unchanged', 'deprecated'] as const;
  const counts = kinds.map((kind) => ({ kind, count: steps.filter((step) => step.kind === kind).length }));
  const parts = counts.filter(({ count }) => count > 0).map(({ kind, count }) => `${count} ${kind}`);
  return `${steps.length} event type${steps.length === 1 ? '' : 's'}: ${parts.join(', ')}`;
}

/**
 * @param breaking the names of types whose change breaks something
 * @throws Error where nobody can be asked
 */
async function isConfirmed(count: number, breaking: readonly string[]): Promise<boolean> {
  const types = `${count} event type${count === 1 ? '' : 's'}`;
  const breaks = `${breaking.join(', ')} break${breaking.length === 1 ? 's' : ''} what is listed above`;
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    const reason = breaking.length === 0 ? '' : `${breaks}, so nothing was pushed. `;
    throw new Error(`${reason}Nobody can be asked here: run it with --yes to push, or with --dry-run or --check.`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const question = breaking.length === 0 ? `Push ${types}?` : `${breaks}. Push ${types} all the same?`;
    const answer = await terminal.question(`${question} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}

/** A converter comes with its schema, or is added to the version that there is. */
async function pushOne(connection: Connection, { name, kind, change }: Omit<Step, 'lines'>): Promise<void> {
  const { converter, ...others } = change;
  if (kind === 'new') {
    await ask(connection, REGISTER, { input: { name, ...others } });
  } else if (converter === undefined || others.schema !== undefined) {
    await ask(connection, UPDATE, { input: { name, ...change } });
  } else {
    await ask(connection, ADD_CONVERTER, { input: { name, converter } });
    await (others.description === undefined ? null : ask(connection, UPDATE, { input: { name, ...others } }));
  }
}

/** A refusal of one type leaves the others alone. @throws Error that says which were not pushed */
async function push(connection: Connection, due: readonly Step[], say: (line: string) => void): Promise<void> {
  const failures: string[] = [];
  let pushed = 0;
  let advice = 'Run it again for the others: it finds what is left.';
  for (const { name, kind, change } of due) {
    try {
      await pushOne(connection, { name, kind, change });
      pushed += 1;
      say(`${name} is ${kind === 'new' ? 'registered' : 'changed'}.`);
    } catch (error) {
      failures.push(`${name}: ${(error as Error).message}`);
      const code = error instanceof RefusedError ? error.code : '';
      if (/^(FORBIDDEN|UNAUTHENTICATED)$/.test(code)) {
        advice = `It takes a platform key: "${thisProgram} key create <name> --platform" makes one.`;
      }
      if (!/^(BAD_USER_INPUT|CONFLICT|NOT_FOUND)$/.test(code)) {
        break; // the next one would fail for the same reason
      }
    }
  }
  if (failures.length > 0) {
    throw new Error(`${pushed} of ${due.length} event types were pushed. ${advice}\n${failures.join('\n')}`);
  }
}
