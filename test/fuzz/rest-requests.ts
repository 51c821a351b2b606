import { BUILT_IN_EVENT_TYPES } from '../../src/domain/events/event-type.js';
import { fc } from '../support/properties.js';
import { text } from './texts.js';

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
type Json = any;

/** The ids of those that there are at the start are 1 to this. */
export const WEBHOOKS_SEEDED = 160;

/** An operation of the document with everything that it refers to in its place. */
export interface RestOperation {
  method: string;
  path: string;
  parameters: { name: string; in: string; schema: Json }[];
  body: Json | null;
  responses: Record<string, Json>;
}

export interface RestCall {
  operation: RestOperation;
  path: string;
  headers: Record<string, string>;
  body: string | null;
}

/** A copy in which every `$ref` is replaced by what it leads to; one that leads back to itself by any value. */
export function resolved(document: Json, value: Json = document, within: readonly string[] = []): Json {
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (within.includes(value.$ref)) {
    return {};
  }
  if (typeof value.$ref === 'string') {
    const steps: string[] = value.$ref.slice(2).split('/');
    const found = steps.reduce((at: Json, step) => at[step], document);
    return resolved(document, found, [...within, value.$ref]);
  }
  return Array.isArray(value)
    ? value.map((inner) => resolved(document, inner, within))
    : Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, resolved(document, inner, within)]));
}

export function operationsOf(document: Json): RestOperation[] {
  return Object.entries<Json>(resolved(document, document.paths)).flatMap(([path, item]) =>
    Object.entries<Json>(item)
      .filter(([method]) => method !== 'parameters')
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        parameters: [...(item.parameters ?? []), ...(operation.parameters ?? [])],
        body: operation.requestBody?.content['application/json'].schema ?? null,
        responses: operation.responses,
        [fc.toStringMethod]: () => `${method.toUpperCase()} ${path}`,
      })),
  );
}

/** Values that a JSON Schema of the document allows, or nearly. */
function valueFor(schema: Json): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'integer':
      return fc.oneof(
        fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1000, 1000) }),
        fc.integer({ min: 1, max: WEBHOOKS_SEEDED }),
      );
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(fc.constantFrom('*', ...BUILT_IN_EVENT_TYPES), {
        minLength: schema.minItems ?? 0,
        maxLength: 3,
      });
    case 'object':
      if (schema.properties === undefined) {
        return fc.dictionary(text, text, { maxKeys: 3 });
      }
      return fc.record(
        Object.fromEntries(Object.entries<Json>(schema.properties).map(([name, inner]) => [name, valueFor(inner)])),
        { requiredKeys: schema.required ?? [] },
      );
    default:
      return schema.format === 'uri'
        ? fc.oneof(fc.constant('https://receiver.example.com/'), fc.webUrl({ validSchemes: ['https'] }))
        : fc.oneof(fc.constantFrom('coupon.applied', 'd2ViaG9va3M6NA', 'd2ViaG9va3M6OTk'), text);
  }
}

/** A JSON value with one part of it replaced by another one. */
const almost = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.tuple(right, fc.oneof(text, fc.jsonValue()), fc.nat()).map(([value, other, place]) => {
    if (typeof value !== 'object' || value === null) {
      return other;
    }
    const names = [...Object.keys(value), 'other'];
    return { ...value, [names[place % names.length]!]: other };
  });

const rawBodies = fc.oneof(
  text,
  fc.constantFrom('', '{', '[]', 'null', '{"url": 1e999, "events": []}', '{"__proto__": {"active": true}}'),
  fc.constant('['.repeat(20_000)),
  fc.jsonValue().map((value) => JSON.stringify(value)),
);

function mixed(schema: Json): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 6, arbitrary: valueFor(schema) },
    { weight: 3, arbitrary: almost(valueFor(schema)) },
    { weight: 1, arbitrary: text },
  );
}

const inUrl = (value: unknown): string =>
  encodeURIComponent(String(typeof value === 'object' ? JSON.stringify(value) : value).toWellFormed());

/** Calls of an operation: valid, almost valid and wild. */
export function callsOf(operation: RestOperation): fc.Arbitrary<RestCall> {
  const of = (place: string) => operation.parameters.filter((parameter) => parameter.in === place);
  const record = (place: string, chance: 'all' | 'some') => {
    const members = Object.fromEntries(of(place).map(({ name, schema }) => [name, mixed(schema)]));
    return fc.record(members, chance === 'all' ? {} : { requiredKeys: [] });
  };
  const odd = fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.tuple(text, text) });
  const tenant = fc.oneof(
    { weight: 8, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: record('header', 'some') },
  );
  const body =
    operation.body === null
      ? fc.oneof({ weight: 8, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: rawBodies })
      : fc.oneof(
          { weight: 6, arbitrary: mixed(operation.body).map((value) => JSON.stringify(value) ?? '') },
          { weight: 1, arbitrary: rawBodies },
        );
  const type = fc.oneof(
    { weight: 12, arbitrary: fc.constant('application/json') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('text/plain', ';;;', 'application/json; charset=utf-8', 'multipart/form-data'),
    },
  );
  return fc
    .record({ ids: record('path', 'all'), query: record('query', 'some'), odd, tenant, body, type })
    .map((drawn) => {
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => inUrl((drawn.ids as Json)[name]));
      const pairs = [...Object.entries(drawn.query), ...(drawn.odd === null ? [] : [drawn.odd])];
      const query = pairs.map((pair) => pair.map(inUrl).join('=')).join('&');
      return {
        operation,
        path: `${path}${query === '' ? '' : `?${query}`}`,
        headers: {
          ...(drawn.body === null ? {} : { 'content-type': drawn.type }),
          ...Object.fromEntries(
            Object.entries(drawn.tenant).map(([name, value]) => [name, String(value).replaceAll(/[^\x21-\x7e]/g, '')]),
          ),
        },
        body: drawn.body,
      };
    });
}
