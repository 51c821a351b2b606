import { z } from 'zod';
import {
  type Field,
  type Fields,
  flat,
  flatValues,
  type Group,
  isNullable,
  optionName,
  type ValuesOf,
} from '../../domain/fields/field.js';
import { snakeCase } from '../../domain/snake-case.js';
import { visibleText } from '../../domain/visible-text.js';
import { headerRules, withHeaderChanges } from './header-rules.js';
import {
  auth,
  delays,
  eventTypeNames,
  type Known,
  message,
  path,
  quantity,
  refused,
  shape,
  text,
  textMap,
  url,
} from './kind-rules.js';
import { filter, template } from './tree-rules.js';

/** Checks a value, for REST and GraphQL alike, and makes of it the one to store. Null only if the field is optional. */
function ruleOf(name: string, field: Field | Group, known: Known): z.ZodType {
  if (field.kind === 'group') {
    return groupRule(field, known);
  }
  const rule = ofKind(name, field, known);
  if (field.inherited !== undefined) {
    const detail = 'must not be null: `reset` brings back the inherited value';
    return z
      .unknown()
      .refine((value) => value !== null, refused('reset_instead', detail))
      .pipe(rule as never);
  }
  if (field.kind === 'auth' || field.kind === 'filter' || field.kind === 'template') {
    return rule.nullable();
  }
  return field.optional ? z.preprocess(nullIfEmpty, rule.nullable()) : rule;
}

function ofKind(name: string, field: Field, known: Known): z.ZodType {
  switch (field.kind) {
    case 'text':
      return text(field, snakeCase(name));
    case 'url':
      return url(known.target);
    case 'eventTypes':
      return eventTypeNames(known.eventTypes);
    case 'textMap':
      return textMap(field, snakeCase(name));
    case 'number':
      return quantity(field, known);
    case 'delays':
      return delays(field, known);
    case 'choice':
      return z.enum(Object.keys(field.values));
    case 'auth':
      return auth(known.headerPrefix);
    case 'filter':
      return filter();
    case 'message':
      return message(field.charsMax);
    case 'template':
      return template();
    case 'shape':
      return shape(field.charsMax, snakeCase(name), known);
    case 'path':
      return path(field.refusedAs);
    case 'headers':
      throw new Error('Headers are checked with their group.');
  }
}

/** A group's fields, one by one: those that are left out stay. */
function groupRule({ fields }: Group, known: Known): z.ZodType {
  const others = Object.fromEntries(Object.entries(fields).filter(([, { kind }]) => kind !== 'headers'));
  const more = { reset: z.array(z.string()).nullish(), ...headerRules(fields as Fields, known.headerPrefix) };
  return changes(others as Fields, known, more).transform(({ reset: names, ...given }, context) => {
    const values = withHeaderChanges(fields as Fields, given);
    const back = Object.keys(fields).filter((name) => (names as string[] | null)?.includes(optionName(name)));
    for (const name of back.filter((one) => one in values)) {
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'is also in `reset`',
        params: { code: 'contradiction' },
      });
    }
    return { ...values, ...Object.fromEntries(back.map((name) => [name, null])) };
  });
}

function shapeOf(fields: Fields, form: (name: string, field: Field | Group) => z.ZodType): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, form(name, field)]));
}

/** The fields of a new object, those of groups among them. Optional ones that are left out are null. */
export const newValues = <Table extends Fields>(fields: Table, known: Known) => {
  const empty = Object.fromEntries(flat(fields).flatMap(([name, field]) => (isNullable(field) ? [[name, null]] : [])));
  const shape = shapeOf(fields, (name, field) => {
    const rule = ruleOf(name, field, known);
    return field.kind === 'group' || isNullable(field) ? rule.nullish() : rule;
  });
  return z
    .object(shape)
    .transform((values) => ({ ...empty, ...given(flatValues(fields, values)) })) as unknown as z.ZodType<
    ValuesOf<Table>
  >;
};

/** The fields of a change. Its output leaves out the same ones; null is one that was left out, unless it clears it. */
export const changedValues = <Table extends Fields>(fields: Table, known: Known) =>
  changes(fields, known).transform((values) => flatValues(fields, values)) as unknown as z.ZodType<
    Partial<ValuesOf<Table>>
  >;

const changes = (fields: Fields, known: Known, more: Record<string, z.ZodType> = {}) =>
  z.preprocess(
    (input) =>
      Object.fromEntries(Object.entries(input as object).filter(([name, value]) => isGiven(fields[name], value))),
    z.object({ ...shapeOf(fields, (name, field) => ruleOf(name, field, known)), ...more }).partial(),
  );

const isGiven = (field: Field | Group | undefined, value: unknown) =>
  value !== undefined && (value !== null || (field !== undefined && field.kind !== 'group' && isNullable(field)));

const given = (values: object) => Object.fromEntries(Object.entries(values).filter(([, value]) => value != null));

/** An empty text or map clears a field as null does. */
const nullIfEmpty = (value: unknown) =>
  (typeof value === 'string' && visibleText(value).trim() === '') ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
    ? null
    : value;
