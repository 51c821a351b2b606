import { objectIn, referredTo } from './schema-width.js';

type Schema = Readonly<Record<string, unknown>>;

/** The values in a sample: a schema can ask for more than anybody would read. */
const VALUES_MAX = 1_000;
const TRIES_MAX = 12;

const formats: ReadonlyMap<unknown, string> = new Map(
  Object.entries({
    'date-time': '2026-01-31T09:30:00+00:00',
    date: '2026-01-31',
    time: '09:30:00+00:00',
    duration: 'PT1H',
    email: 'someone@example.com',
    hostname: 'www.example.com',
    ipv4: '192.0.2.1',
    ipv6: '2001:db8::1',
    uri: 'https://www.example.com/',
    uuid: '0190d5b1-7c3a-7000-8000-000000000000',
  }),
);

/**
 * Makes a payload that an integrator could meet: from what the schema shows (`const`, `examples`, `default`, `enum`),
 * otherwise by type and format.
 *
 * @param schema one that `schemaIssues` finds no fault with
 * @param isValid judges a payload by the whole schema
 * @returns null where none was found, as for a `pattern` without examples
 */
export function samplePayload(schema: Schema, isValid: (payload: unknown) => boolean): Record<string, unknown> | null {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    try {
      const payload = new Sampler(schema, attempt).sample(schema);
      if (isValid(payload)) {
        return payload as Record<string, unknown>;
      }
    } catch (error) {
      if (!(error instanceof TooLarge)) {
        throw error;
      }
    }
  }
  return null;
}

class TooLarge extends Error {}

class Sampler {
  #values = 0;

  /** @param attempt chooses among branches; odd attempts leave out optional fields */
  constructor(
    private readonly root: Schema,
    private readonly attempt: number,
  ) {}

  sample(given: unknown, index = 0): unknown {
    this.#values += 1;
    if (this.#values > VALUES_MAX) {
      throw new TooLarge();
    }
    const schema = this.#flat(typeof given === 'object' && given !== null ? (given as Schema) : {});
    const shown = shownBy(schema);
    if (shown.length > 0) {
      return shown[(this.attempt + index) % shown.length];
    }
    switch (this.#pick([schema['type'] ?? likelyType(schema)].flat())) {
      case 'object':
        return this.#object(schema);
      case 'array':
        return this.#array(schema);
      case 'integer':
        return numberOf(schema, 1);
      case 'number':
        return numberOf(schema, 0.5);
      case 'boolean':
        return index % 2 === 0;
      case 'null':
        return null;
      default:
        return textOf(schema, index);
    }
  }

  /** Joins a schema with its `$ref`, its `allOf` and one branch of each choice. */
  #flat(schema: Schema): Schema {
    const { $ref, allOf, anyOf, oneOf, if: condition, then, ...own } = schema;
    const parts = [
      ...($ref === undefined ? [] : [objectIn(this.root, '$defs')[referredTo(schema)!]]),
      ...((allOf as unknown[] | undefined) ?? []),
      ...(anyOf === undefined ? [] : [this.#pick(anyOf as unknown[])]),
      ...(oneOf === undefined ? [] : [this.#pick(oneOf as unknown[])]),
      ...(condition === undefined || this.attempt % 4 > 1 ? [] : [condition, then ?? true]),
    ];
    return parts
      .filter((part): part is Schema => typeof part === 'object' && part !== null)
      .reduce<Schema>((all, part) => both(all, this.#flat(part)), own);
  }

  #pick<Choice>(choices: readonly Choice[]): Choice | undefined {
    return choices[Math.floor(this.attempt / 2) % choices.length];
  }

  #object(schema: Schema): Record<string, unknown> {
    const { additionalProperties = true, minProperties = 0 } = schema;
    const properties = (schema['properties'] ?? {}) as Schema;
    const known = Object.keys(properties);
    const required = (schema['required'] ?? []) as string[];
    const names = [...new Set([...(this.attempt % 2 === 0 ? known : []), ...required])];
    const lacking = Math.min(Number(minProperties), VALUES_MAX) - names.length;
    const others = Array.from({ length: Math.max(0, lacking) }, (_, n) => `field${n + 1}`);
    const more = [...known.filter((name) => !names.includes(name)), ...others].slice(0, others.length);
    const entries = [...names, ...more]
      .map((name) => [name, Object.hasOwn(properties, name) ? properties[name] : additionalProperties] as const)
      .filter(([, field]) => field !== false)
      .map(([name, field]) => [name, this.sample(field)]);
    return Object.fromEntries(entries);
  }

  #array(schema: Schema): unknown[] {
    const prefix = (schema['prefixItems'] ?? []) as unknown[];
    const { items = true, minItems = 0, maxItems = VALUES_MAX } = schema;
    const wanted = Math.max(Number(minItems), prefix.length, this.attempt % 2 === 0 ? 1 : 0);
    const length = Math.min(wanted, Number(maxItems), items === false ? prefix.length : VALUES_MAX + 1);
    return Array.from({ length }, (_, n) => this.sample(n < prefix.length ? prefix[n] : items, n));
  }
}

/** The values that the schema shows, the best first. */
function shownBy(schema: Schema): readonly unknown[] {
  if (Object.hasOwn(schema, 'const')) {
    return [schema['const']];
  }
  const examples = (schema['examples'] as unknown[] | undefined) ?? [];
  if (examples.length > 0) {
    return examples;
  }
  return Object.hasOwn(schema, 'default') ? [schema['default']] : ((schema['enum'] as unknown[]) ?? []);
}

function likelyType(schema: Schema): string {
  const has = (...keywords: string[]) => keywords.some((keyword) => Object.hasOwn(schema, keyword));
  if (has('properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties')) {
    return 'object';
  }
  if (has('items', 'prefixItems', 'contains', 'minItems', 'uniqueItems')) {
    return 'array';
  }
  return has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf') ? 'number' : 'string';
}

/** @param step between numbers, where the schema has none */
function numberOf(schema: Schema, step: number): number {
  const multipleOf = Number(schema['multipleOf'] ?? step);
  const by = step === 1 && Number.isInteger(decimal(1 / multipleOf)) ? 1 : multipleOf;
  const bound = (keyword: string, otherwise: number) => Number(schema[keyword] ?? otherwise);
  const least = Math.max(bound('minimum', -Infinity), decimal(bound('exclusiveMinimum', -Infinity) + by));
  const most = Math.min(bound('maximum', Infinity), decimal(bound('exclusiveMaximum', Infinity) - by));
  const times = decimal(Math.min(Math.max(1, least), most) / by);
  const up = decimal(Math.ceil(times) * by);
  return up > most ? decimal(Math.floor(times) * by) : up;
}

/** Without what binary fractions add to it: 29 times 0.01 is 0.29. */
const decimal = (value: number): number => (Number.isInteger(value) ? value : Number(value.toPrecision(15)));

function textOf(schema: Schema, index: number): string {
  const text = `${formats.get(schema['format']) ?? 'text'}${index === 0 ? '' : index + 1}`;
  const least = Number(schema['minLength'] ?? 0);
  if (least > VALUES_MAX) {
    throw new TooLarge();
  }
  const most = Number(schema['maxLength'] ?? Number.POSITIVE_INFINITY);
  const padded = text.padStart(least, 'x');
  // The index stands at the end, and must not be cut off.
  return padded.length > most ? padded.slice(padded.length - most) : padded;
}

/** Joins two schemas. Where they differ on a field or a bound, the second one decides. */
function both(a: Schema, b: Schema): Schema {
  const joined: Record<string, unknown> = { ...a, ...b };
  if (Object.hasOwn(a, 'properties') && Object.hasOwn(b, 'properties')) {
    joined['properties'] = { ...(a['properties'] as Schema), ...(b['properties'] as Schema) };
  }
  if (Object.hasOwn(a, 'required') && Object.hasOwn(b, 'required')) {
    joined['required'] = [...(a['required'] as string[]), ...(b['required'] as string[])];
  }
  return joined;
}
