import { readFileSync } from 'node:fs';
import { type Document, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { isDeeperThan } from '../../../domain/events/payload.js';
import { stepsOf } from '../../../domain/schema-rules/json-pointer.js';
import { isObject, type JsonObject, mapSchemas } from '../../../domain/schema-rules/subschemas.js';
import { judgeType, type ReadTypes } from './files.js';

/** A document may be deeper than one schema, and YAML can refer to itself without an end. */
const DEPTH_MAX = 100;
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i;

/** The reason why a webhook of a document is no event type. */
class Refused extends Error {}

/**
 * Reads the webhooks of an OpenAPI document as event types: `webhooks` of 3.1, `x-webhooks` of 3.0. The name of each is
 * that of the type, its body the payload; an example becomes the sample. References within the document are resolved,
 * and no other file is read.
 *
 * @returns the types, and a sentence for each webhook that cannot be one
 * @throws Error for a file that is no OpenAPI document with webhooks
 */
export function readOpenApi(file: string): ReadTypes {
  const document = readDocument(file);
  const webhooks = document['webhooks'] ?? document['x-webhooks'];
  if (!isObject(webhooks) || Object.keys(webhooks).length === 0) {
    throw new Error(`${file} has no webhooks: OpenAPI 3.1 has them in "webhooks", and 3.0 in "x-webhooks".`);
  }
  const read: ReadTypes = { types: [], refused: [] };
  for (const [name, item] of Object.entries(webhooks)) {
    try {
      const { description, schema } = new Reader(document).webhook(item);
      const { type, problems } = judgeType(name, description, schema);
      read.types.push(...(type === undefined || problems.length > 0 ? [] : [type]));
      read.refused.push(...problems.map((problem) => `${name}: ${problem}`));
    } catch (error) {
      if (!(error instanceof Refused)) {
        throw error;
      }
      read.refused.push(`${name}: ${error.message}`);
    }
  }
  return read;
}

function readDocument(file: string): JsonObject {
  let document: unknown;
  try {
    const lines = new LineCounter();
    const parsed = parseDocument(readFileSync(file, 'utf8'), { lineCounter: lines, uniqueKeys: false });
    document = parsed.toJS();
    if (parsed.errors[0] !== undefined) {
      throw parsed.errors[0];
    }
    requireUniqueKeys(parsed, lines);
  } catch (error) {
    throw new Error(`${file} cannot be read as YAML or JSON: ${(error as Error).message}`);
  }
  if (!isObject(document) || !/^3\.\d/.test(String(document['openapi']))) {
    throw new Error(`${file} is not an OpenAPI document of version 3: it needs "openapi", such as 3.1.0.`);
  }
  if (isDeeperThan(document, DEPTH_MAX)) {
    throw new Error(`${file} is nested deeper than ${DEPTH_MAX} levels, or contains itself.`);
  }
  return document;
}

/** The library compares each key with all before it: ten thousand take seconds. @throws Error for a key twice */
function requireUniqueKeys(document: Document.Parsed, lines: LineCounter): void {
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (isScalar(key) && seen.size === seen.add(key.value).size) {
          const { line } = lines.linePos(key.range?.[0] ?? 0);
          throw new Error(`line ${line} has the key ${JSON.stringify(key.value)} a second time in one object`);
        }
      }
    },
  });
}

/** Reads one webhook of a document. */
class Reader {
  /** Whether schemas are those of JSON Schema: 3.0 has some words of its own. */
  readonly #isJsonSchema: boolean;
  /** The parts that the schema refers to, by the names that they get in it. */
  readonly #parts = new Map<string, { pointer: string; schema: JsonObject }>();

  constructor(private readonly document: JsonObject) {
    this.#isJsonSchema = !String(document['openapi']).startsWith('3.0');
  }

  /** @throws Refused */
  webhook(given: unknown): { description: unknown; schema: Record<string, unknown> } {
    const item = this.#resolved(given);
    const operation = this.#resolved(item['post'] ?? item['put'] ?? refuse('has no operation "post"'));
    const body = this.#resolved(operation['requestBody'] ?? refuse('has no "requestBody", which has the payload'));
    const [, media] =
      Object.entries(isObject(body['content']) ? body['content'] : {}).find(([type]) => JSON_TYPE.test(type)) ??
      refuse('has no body of application/json');
    const { schema, ...shown } = this.#resolved(media);
    const texts = [operation['summary'], operation['description'], item['summary'], item['description']];
    return {
      description: texts.find((text) => typeof text === 'string' && text.trim() !== ''),
      schema: this.#payload(this.#resolved(schema ?? refuse('has no "schema" of its body')), this.#exampleIn(shown)),
    };
  }

  /** A schema that stands alone: what it refers to is in its `$defs`. */
  #payload(whole: JsonObject, example: unknown): Record<string, unknown> {
    const { $schema: _, ...own } = this.#converted(whole);
    const examples = [
      ...(example === undefined ? [] : [example]),
      ...(Array.isArray(own['examples']) ? own['examples'] : []),
    ];
    const parts: Record<string, unknown> = {};
    // A Map goes on with what is added meanwhile: parts refer to others.
    for (const [name, part] of this.#parts) {
      parts[name] = this.#converted(part.schema);
    }
    return {
      type: 'object', // every payload is one
      ...own,
      ...(examples.length > 0 ? { examples } : {}),
      ...(Object.keys(parts).length > 0 ? { $defs: parts } : {}),
    };
  }

  #converted = (schema: JsonObject): JsonObject =>
    mapSchemas(schema, ({ $ref, example, ...rest }) => {
      const converted = {
        ...($ref === undefined ? {} : { $ref: `#/$defs/${this.#part($ref)}` }),
        ...rest,
        ...(example === undefined || 'examples' in rest ? {} : { examples: [example] }),
      };
      return this.#isJsonSchema ? converted : modern(converted);
    });

  /** @returns the name that a part gets among the definitions */
  #part(reference: unknown): string {
    const schema = this.#at(reference);
    const pointer = String(reference);
    const wanted = (stepsOf(pointer).at(-1) ?? '').replaceAll(/[^\w.-]/g, '_') || 'part';
    for (let n = 1; ; n++) {
      const name = n === 1 ? wanted : `${wanted}_${n}`;
      const known = this.#parts.get(name);
      if (known === undefined) {
        this.#parts.set(name, { pointer, schema });
      }
      if (known === undefined || known.pointer === pointer) {
        return name;
      }
    }
  }

  #exampleIn(media: JsonObject): unknown {
    if (media['example'] !== undefined) {
      return media['example'];
    }
    const [first] = Object.values(isObject(media['examples']) ? media['examples'] : {});
    return first === undefined ? undefined : this.#resolved(first)['value'];
  }

  /** An object of the document, or the one that it refers to. Beside a reference, 3.1 may have more. */
  #resolved(given: unknown): JsonObject {
    const seen = new Set<unknown>();
    let value = isObject(given) ? given : refuse('has something else where an object is needed');
    for (; value['$ref'] !== undefined; value = { ...this.#at(value['$ref']), ...without$ref(value) }) {
      if (seen.has(value['$ref'])) {
        refuse(`has a reference that leads to itself: ${String(value['$ref'])}`);
      }
      seen.add(value['$ref']);
    }
    return value;
  }

  /** @throws Refused for what is not an object in this document */
  #at(reference: unknown): JsonObject {
    if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference)) {
      refuse(`refers to ${String(reference)}, and only this document is read`);
    }
    const found = stepsOf(decoded(reference as string)).reduce<unknown>(
      (at, step) =>
        typeof at === 'object' && at !== null && Object.hasOwn(at, step) ? at[step as keyof typeof at] : undefined,
      this.document,
    );
    return isObject(found) ? found : refuse(`refers to ${String(reference)}, and the document has no such schema`);
  }
}

const without$ref = ({ $ref: _, ...rest }: JsonObject): JsonObject => rest;

function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}

function refuse(why: string): never {
  throw new Refused(why);
}

/** Words that OpenAPI 3.0 has for rules of JSON Schema. */
function modern({ nullable, exclusiveMinimum, exclusiveMaximum, ...rest }: JsonObject): JsonObject {
  const schema: Record<string, unknown> = { ...rest };
  if (nullable === true && schema['type'] === undefined) {
    return { anyOf: [schema, { type: 'null' }] };
  }
  if (nullable === true) {
    schema['type'] = [...new Set([schema['type'], 'null'].flat())];
    if (Array.isArray(schema['enum'])) {
      schema['enum'] = [...new Set([...schema['enum'], null])];
    }
  }
  for (const [bound, exclusive, is] of [
    ['minimum', 'exclusiveMinimum', exclusiveMinimum],
    ['maximum', 'exclusiveMaximum', exclusiveMaximum],
  ] as const) {
    if (is === true && schema[bound] !== undefined) {
      schema[exclusive] = schema[bound];
      delete schema[bound];
    } else if (typeof is === 'number') {
      schema[exclusive] = is;
    }
  }
  return schema;
}
