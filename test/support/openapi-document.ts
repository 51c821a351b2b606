import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import { mapSchemas } from '../../src/domain/schema-rules/subschemas.js';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document
export type Json = any;

/** Every object in the document. */
export function* objectsIn(value: Json): Generator<Json> {
  if (typeof value === 'object' && value !== null) {
    yield value;
    for (const child of Object.values(value)) {
      yield* objectsIn(child);
    }
  }
}

/** Follows a reference of the document. */
export function resolveIn(document: Json, reference: string): Json {
  return decodeURIComponent(reference)
    .slice(2)
    .split('/')
    .reduce((at, step) => at?.[step.replaceAll('~1', '/').replaceAll('~0', '~')], document);
}

const judges = new WeakMap<Json, Ajv2020>();

/** It has read the document, which takes some time. */
function judgeOf(document: Json): Ajv2020 {
  const judge = judges.get(document) ?? new Ajv2020({ strict: false, validateFormats: false });
  if (!judges.has(document)) {
    judge.addSchema({ ...document, $id: 'https://document/' });
    judges.set(document, judge);
  }
  return judge;
}

/** Expects a value to fit a schema of the document; references start at the document's root. */
export function expectFits(document: Json, schema: Json, value: Json): void {
  const validate = judgeOf(document).compile(
    mapSchemas(schema, (one) =>
      one['$ref'] === undefined ? one : { ...one, $ref: `https://document/${one['$ref']}` },
    ),
  );
  expect({ value, fits: validate(value), errors: validate.errors }).toEqual({
    value,
    fits: true,
    errors: null,
  });
}
