import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Converter } from '../../../domain/content/converter.js';
import { readConverter } from '../../../domain/content/read-converter.js';
import { isEventTypeName, isOwnEventTypeName } from '../../../domain/events/event-type.js';
import { isDeeperThan } from '../../../domain/events/payload.js';
import { schemaIssues } from '../../../platform/payload-checks/schema-issues.js';

/** An event type as a file has it. */
export interface WrittenType {
  name: string;
  description: string;
  schema: Record<string, unknown>;
  /** The steps from the schema to the one before it. */
  converter?: Converter;
}

/** The types that a folder or a document has. */
export interface ReadTypes {
  types: WrittenType[];
  /** A sentence for each that cannot be an event type, with its name. */
  refused: string[];
}

const ENDING = '.json';
const DEPTH_MAX = 64;
const DESCRIPTION_CHARS_MAX = 1_000;

/**
 * Reads the event types of a folder: `order.paid.json` has the JSON Schema of `order.paid`, and its `description` is
 * that of the type; `converter` has the steps to the version before.
 *
 * @throws Error that lists what is wrong with the files
 */
export function readTypes(folder: string): WrittenType[] {
  const files = filesIn(folder);
  const wrong: string[] = [];
  const types = files.flatMap((file) => {
    const { type, problems } = readType(folder, file);
    wrong.push(...problems.map((problem) => `${join(folder, file)}: ${problem}`));
    return type ?? [];
  });
  if (wrong.length > 0) {
    throw new Error(`Nothing was pushed, because files are wrong.\n${wrong.join('\n')}`);
  }
  return types;
}

function filesIn(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    throw new Error(`The folder ${folder} cannot be read: ${(error as Error).message}.`);
  }
  const files = names.filter((name) => name.endsWith(ENDING)).sort();
  if (files.length === 0) {
    throw new Error(`${folder} has no file such as order.paid.json, with the JSON Schema of an event type.`);
  }
  return files;
}

function readType(folder: string, file: string): { type?: WrittenType; problems: string[] } {
  const name = file.slice(0, -ENDING.length);
  const misnamed = nameProblem(name);
  if (misnamed !== null) {
    return { problems: [`${name} ${misnamed}; a file is named as order.paid.json`] };
  }
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(join(folder, file), 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    return {
      problems: [`${error instanceof SyntaxError ? 'is not JSON' : 'cannot be read'}: ${(error as Error).message}`],
    };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problems: ['must be a JSON Schema, an object'] };
  }
  const { converter, ...whole } = value as Record<string, unknown>;
  const { description, schema } = apart(whole);
  const judged = judgeType(name, description, schema);
  return converter === undefined ? judged : withConverter(judged, converter);
}

function withConverter(
  { type, problems }: ReturnType<typeof judgeType>,
  written: unknown,
): ReturnType<typeof judgeType> {
  const read = readConverter(written);
  return 'problems' in read
    ? {
        problems: [
          ...problems,
          ...read.problems.map(({ path, detail }) => `${['converter', ...path].join('.')} ${detail}`),
        ],
      }
    : { ...(type && { type: { ...type, converter: read.converter } }), problems };
}

function nameProblem(name: string): string | null {
  const why = isOwnEventTypeName(name) ? 'is one of the service itself' : null;
  return isEventTypeName(name) ? why : 'is not the name of an event type';
}

/** Judges an event type by the rules of the service. @returns the type, unless its name or description is wrong */
export function judgeType(
  name: string,
  description: unknown,
  schema: Record<string, unknown>,
): { type?: WrittenType; problems: string[] } {
  const misnamed = nameProblem(name);
  if (misnamed !== null) {
    return { problems: [`the name ${misnamed}, such as order.paid`] };
  }
  if (typeof description !== 'string' || description.trim() === '' || description.length > DESCRIPTION_CHARS_MAX) {
    return { problems: ['needs a "description" of 1 to 1,000 characters, which says when the event is emitted'] };
  }
  const problems = isDeeperThan(schema, DEPTH_MAX)
    ? [`must not be nested deeper than ${DEPTH_MAX} levels`]
    : schemaIssues(schema).map(({ path, detail }) => `${path.length === 0 ? 'the schema' : path.join('.')} ${detail}`);
  return { type: { name, description, schema }, problems };
}

/** The description of the type, and its schema without it. `$schema` is for editors: there is one draft only. */
export function apart(whole: Record<string, unknown>): { description: unknown; schema: Record<string, unknown> } {
  const { description, $schema: _, ...schema } = whole;
  return { description, schema };
}
