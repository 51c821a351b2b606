import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { AnyField } from '../../domain/fields/field.js';
import { inputNames } from '../../domain/fields/field-table.js';
import { HEADERS_MAX, type ShownHeader } from '../../domain/fields/headers.js';
import { invalidInput, type Path } from '../../errors.js';
import { type RestKind, secretMissing, valueKind } from './rest-kind.js';

/** In REST headers are an object by their names. */
export const headersKind: RestKind<AnyField> = {
  ...valueKind(headersForm),
  shown: (headers) =>
    Object.fromEntries(
      (headers as ShownHeader[]).map(({ name, value, secret }) => [
        name,
        value === null ? { secret } : { value, secret },
      ]),
    ),
  inputs: inputsOf,
  place: placeOf,
  changed(value, shown, path) {
    const headers = value === null ? null : changedHeaders(value as Headers, (shown ?? {}) as Headers, path);
    return headers === null || Object.keys(headers).length > 0 ? [headers] : [];
  },
};

function headersForm(_: AnyField, description: string, requested: boolean): z.ZodType {
  const value = z.string().meta({ description: 'The value.' });
  const secret = z.boolean().meta({ description: 'Whether nobody can read the value.' });
  const form = requested
    ? z.strictObject({ value: value.optional(), secret: secret.optional() }).nullable()
    : z.object({ value: value.optional(), secret });
  return z.record(z.string(), form).meta({
    maxProperties: HEADERS_MAX,
    description,
    examples: [{ 'X-Api-Key': requested ? { value: '3f8c1e' } : { secret: true } }],
  });
}

/** Headers by their names as a list: one that is null is removed, one without `value` stays as it is. */
function inputsOf(name: string, patch: unknown): [name: string, value: unknown][] {
  const headers = Object.entries(patch as Record<string, { value?: string } | null>);
  const [set, remove] = inputNames(name, { kind: 'headers' }) as [string, string];
  return [
    [set, headers.flatMap(([key, header]) => (header?.value === undefined ? [] : [{ name: key, ...header }]))],
    [remove, headers.flatMap(([key, header]) => (header === null ? [key] : []))],
  ];
}

/** A header stands under its name. */
function placeOf([index, ...rest]: Path, headers: unknown): Path {
  const header = typeof index === 'number' ? (headers as ShownHeader[] | undefined)?.[index] : undefined;
  return header === undefined ? [] : [header.name, ...rest.filter((step) => step !== 'name')];
}

type Headers = Readonly<Record<string, { value?: string; secret?: boolean } | null>>;

function changedHeaders(change: Headers, shown: Headers, path: Path): Headers {
  const changed = Object.entries(change).filter(([name, header]) => !isDeepStrictEqual(header, shown[name]));
  for (const [name, header] of changed) {
    if (header !== null && header.value === undefined) {
      requireSameHeader(header.secret, shown[name]?.secret, name, path);
    }
  }
  return Object.fromEntries(changed.filter(([, header]) => header === null || header.value !== undefined));
}

/** A header without its value must be as it was. */
function requireSameHeader(secret: boolean | undefined, was: boolean | undefined, name: string, path: Path): void {
  if (was === true && secret === false) {
    throw secretMissing(`the header ${name}`, 'make it readable', 'its value');
  }
  if (was === undefined || (was === false && secret === true)) {
    const why = was === undefined ? 'the webhook has no such header that could keep its value' : 'send it to hide it';
    throw invalidInput([{ path: [...path, name, 'value'], code: 'required', detail: `is required: ${why}` }]);
  }
}
