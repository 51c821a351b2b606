import { ask, RefusedError } from '../connection/ask.js';
import type { Connection } from '../connection/connection.js';
import { type Json, readPayload } from '../options/payload-file.js';

export interface PayloadOptions {
  set?: readonly string[];
  payload?: string;
}

const SAMPLE = 'query ($name: String!) { eventType(name: $name) { samplePayload } }';
const NAMES = '{ eventTypes { name reserved } }';

/**
 * The payload as JSON text: of the file, or the sample of the event type, with the values of `--set`. A file's text is
 * kept as it is where nothing is set, so that its numbers and spaces arrive exactly.
 */
export async function payloadText(connection: Connection, eventType: string, options: PayloadOptions): Promise<string> {
  const { set = [], payload: file } = options;
  if (file === undefined) {
    return JSON.stringify(set.reduce(withAssignment, await samplePayload(connection, eventType)));
  }
  const { text, payload } = readPayload(file);
  return set.length === 0 ? text : JSON.stringify(set.reduce(withAssignment, payload));
}

async function samplePayload(connection: Connection, name: string): Promise<Json> {
  const { eventType } = await ask<{ eventType: { samplePayload: Json } }>(connection, SAMPLE, { name }).catch(
    async (error: unknown) => {
      if (!(error instanceof RefusedError && error.code === 'NOT_FOUND')) {
        throw error;
      }
      const { eventTypes } = await ask<{ eventTypes: readonly { name: string; reserved: boolean }[] }>(
        connection,
        NAMES,
      );
      const names = eventTypes.flatMap((type) => (type.reserved ? [] : [type.name])).join(', ');
      throw new Error(`${connection.url} has no event type "${name}". It has: ${names}.`);
    },
  );
  if (eventType.samplePayload === null) {
    throw new Error(`${name} has no sample payload. Give one with --payload, or add "examples" to its schema.`);
  }
  return eventType.samplePayload;
}

/** @param assignment `customer.name=Ada`; a number in the path is a place in a list, from 0 */
function withAssignment(payload: Json, assignment: string): Json {
  const at = assignment.indexOf('=');
  if (at < 1) {
    throw new Error(`--set ${assignment} has no path and value, such as customer.name=Ada.`);
  }
  return withValue(payload, assignment.slice(0, at).split('.'), assignment.slice(at + 1), '');
}

function withValue(node: Json, [key = '', ...rest]: readonly string[], value: string, place: string): Json {
  const next = place === '' ? key : `${place}.${key}`;
  const change = (before: Json) =>
    rest.length === 0 ? valueLike(before, value) : withValue(before, rest, value, next);
  if (Array.isArray(node)) {
    const index = Number(key);
    if (!/^\d+$/.test(key) || index > node.length) {
      throw new Error(`--set ${next}: ${place} is a list of ${node.length}; name a place from 0 to ${node.length}.`);
    }
    return node.toSpliced(index, 1, change(node[index]));
  }
  if (typeof node !== 'object' && node !== undefined) {
    throw new Error(`--set ${next}: ${place} is ${JSON.stringify(node)}, and has no fields.`);
  }
  const before = node !== undefined && node !== null && Object.hasOwn(node, key) ? node[key] : undefined;
  return { ...node, [key]: change(before) };
}

/** JSON, or else a text. Where the payload has a text it stays one: `code=007` is not the number 7. */
function valueLike(before: Json, value: string): Json {
  if (typeof before === 'string') {
    return value;
  }
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}
