import { z } from 'zod';
import {
  type AnyField,
  type Fields,
  type Kind,
  type Members,
  type OfKind,
  optionName,
  type ValuesOf,
} from '../../domain/fields/field.js';
import { flat, flatValues, isNullable } from '../../domain/fields/field-table.js';
import { snakeCase } from '../../domain/text/snake-case.js';
import { visibleText } from '../../domain/text/visible-text.js';
import { headerRules, joinedHeaders } from './header-rules.js';
import {
  auth,
  eventTypeNames,
  externalId,
  type Known,
  message,
  path,
  refused,
  shape,
  text,
  textMap,
  url,
} from './kind-rules.js';
import { delays, quantity } from './number-rules.js';
import { tls } from './tls-rules.js';
import { filter, template } from './tree-rules.js';

/** The rules of a kind. */
interface RulesOfKind<One extends AnyField> {
  /** Rules for its inputs, by their names. */
  rules(name: string, field: One, known: Known): Record<string, z.ZodType>;
  /** The values of these inputs, once they were checked, as that of one field. */
  joined(name: string, inputs: Values): Values;
}

type Values = Readonly<Record<string, unknown>>;

const one = <One extends AnyField>(rule: (field: One, name: string, known: Known) => z.ZodType): RulesOfKind<One> => ({
  rules: (name, field, known) => ({ [name]: rule(field, snakeCase(name), known) }),
  joined: (_, inputs) => inputs,
});

/** Null is allowed only if the field is optional; an empty value means the same. */
const value = <One extends AnyField>(rule: Parameters<typeof one<One>>[0]) =>
  one<One>((field, name, known) => {
    const checked = rule(field, name, known);
    if (field.inherited !== undefined) {
      const detail = 'must not be null: `reset` brings back the inherited value';
      const notNull = z.unknown().refine((given) => given !== null, refused('reset_instead', detail));
      return notNull.pipe(checked as never);
    }
    return field.optional ? z.preprocess(nullIfEmpty, checked.nullable()) : checked;
  });

/** An empty one breaks its rules. */
const tree = (rule: (known: Known) => z.ZodType) => one<AnyField>((_, __, known) => rule(known).nullable());

const texts = value<OfKind<'text'>>(text);
/** An empty one is refused: it is a mistake of a program, and must not remove an id. */
const externalIds = one<OfKind<'text'>>(() => externalId.nullable());

/** They check a value, for REST and GraphQL alike, and make of it the one to store. */
const kinds: { [One in Kind]: RulesOfKind<OfKind<One>> } = {
  text: { ...texts, rules: (name, field, known) => (field.identifies ? externalIds : texts).rules(name, field, known) },
  url: value((_, __, { target }) => url(target)),
  eventTypes: value((_, __, { eventTypes }) => eventTypeNames(eventTypes)),
  textMap: value<OfKind<'textMap'>>(textMap),
  number: value<OfKind<'number'>>((field, _, known) => quantity(field, known)),
  delays: value<OfKind<'delays'>>((field, _, known) => delays(field, known)),
  choice: value<OfKind<'choice'>>(({ values }) => z.enum(Object.keys(values))),
  boolean: value(() => z.boolean()),
  headers: { rules: (name, _, { headerPrefix }) => headerRules(name, headerPrefix), joined: joinedHeaders },
  auth: tree(auth),
  tls: tree(({ now }) => tls(now)),
  filter: tree(filter),
  message: value<OfKind<'message'>>(({ charsMax }) => message(charsMax)),
  template: tree(template),
  shape: value<OfKind<'shape'>>(({ charsMax }, name, known) => shape(charsMax, name, known)),
  path: value<OfKind<'path'>>(({ refusedAs }) => path(refusedAs)),
  group: one<OfKind<'group'>>(({ fields }, _, known) => groupRule(fields, known).nullable()),
};

const kindOf = ({ kind }: AnyField): RulesOfKind<AnyField> => kinds[kind];

/** The rules of all inputs of fields, by their names. */
const rulesOf = (fields: Fields, known: Known): Record<string, z.ZodType> =>
  Object.assign({}, ...Object.entries(fields).map(([name, field]) => kindOf(field).rules(name, field, known)));

/** A group's fields, one by one: those that are left out stay. */
function groupRule(fields: Members, known: Known): z.ZodType {
  const reset = z.array(z.string()).nullish();
  return changes(fields as Fields, known, { reset }).transform(({ reset: names, ...given }, context) => {
    const values = Object.entries(fields).reduce<Values>(
      (inputs, [name, field]) => kindOf(field).joined(name, inputs),
      given,
    );
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

/** The fields of a new object, those of groups among them. Optional ones that are left out are null. */
export const newValues = <Table extends Fields>(fields: Table, known: Known) => {
  const empty = Object.fromEntries(flat(fields).flatMap(([name, field]) => (isNullable(field) ? [[name, null]] : [])));
  const shape = Object.entries(fields).flatMap(([name, field]) =>
    Object.entries(kindOf(field).rules(name, field, known)).map(([input, rule]) => [
      input,
      isNullable(field) ? rule.nullish() : rule,
    ]),
  );
  return z
    .object(Object.fromEntries(shape))
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
    z.object({ ...rulesOf(fields, known), ...more }).partial(),
  );

const isGiven = (field: AnyField | undefined, value: unknown) =>
  value !== undefined && (value !== null || (field !== undefined && isNullable(field)));

const given = (values: object) => Object.fromEntries(Object.entries(values).filter(([, value]) => value != null));

/** An empty text or map clears a field as null does. */
const nullIfEmpty = (value: unknown) =>
  (typeof value === 'string' && visibleText(value).trim() === '') ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
    ? null
    : value;
