import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import {
  type AnyField,
  type Fields,
  type Kind,
  type Members,
  type OfKind,
  optionName,
  shownName,
  type ValuesOf,
} from '../../domain/fields/field.js';
import { flat, inputNames } from '../../domain/fields/field-table.js';
import { webhookFields } from '../../domain/fields/webhook-fields.js';
import type { Path } from '../../errors.js';
import { graphqlName, type RestName, restName, restStep } from './names.js';
import { warningForm, warningSelection } from './option-forms.js';
import type { RestKind } from './rest-kind.js';
import { valueKinds } from './value-kinds.js';

const kinds: { [One in Kind]: RestKind<OfKind<One>> } = {
  ...valueKinds,
  group: {
    requested: (group) =>
      z
        .strictObject({ ...requested(Object.entries(group.fields)), ...ignored(readOnlyOf(group)) })
        .partial()
        .nullish()
        .meta({ description: group.rest! }),
    answered: (group) =>
      z.object({ ...answered(Object.entries(group.fields)), ...readOnlyOf(group) }).meta({ description: group.rest! }),
    selection({ fields, option, warns }) {
      const more = `${option === undefined ? '' : ' own'}${warns ? ` warnings { ${warningSelection} }` : ''}`;
      return ` { ${optionSelection(fields as Fields, () => true)}${more} }`;
    },
    shown: (value, { fields }) => optionsInRest(fields as Fields, value as object),
    inputs: (name, value, { fields }) => [[name, groupChange(fields, value as object | null)]],
    merged: (_, patch) => patch,
    place: (steps, input, { fields }) => restPlace(steps, input, fields as Fields),
    changed(value, shown, path, { fields, option }) {
      if (value === null) {
        return [null];
      }
      const given = value as Values;
      const mayInherit = option !== undefined && given['own'] === undefined;
      const members = changedIn(fields as Fields, given, shown as Values, path, mayInherit);
      return Object.keys(members).length > 0 ? [members] : [];
    },
  },
};

const kindOf = ({ kind }: AnyField): RestKind<AnyField> => kinds[kind];

type Shown = [name: string, field: AnyField][];
type Shape = Record<string, z.ZodType>;
type Values = Readonly<Record<string, unknown>>;

/** Readers learn of a secret only whether it is set. */
const answered = (fields: Shown): Shape =>
  Object.fromEntries(
    fields.map(([name, field]) => {
      const description = `Whether it is set. ${field.rest}`;
      return [
        restName(shownName(name, field)),
        field.secret ? z.boolean().meta({ description }) : kindOf(field).answered(field),
      ];
    }),
  );

const requested = (fields: Shown): Shape => ({
  ...Object.fromEntries(fields.map(([name, field]) => [restName(name), kindOf(field).requested(field)])),
  ...ignored(answered(fields.filter(([, { secret }]) => secret))),
});

/** The parts of a group that only answers have. */
function readOnlyOf({ option, warns }: OfKind<'group'>): Shape {
  const own = z.array(z.string()).meta({ description: 'The fields that are set here, and not inherited.' });
  const warnings = z.array(warningForm).meta({ description: 'Possible mistakes in these values.' });
  return { ...(option === undefined ? {} : { own }), ...(warns ? { warnings } : {}) };
}

type Forms<Table extends Fields> = {
  [Name in keyof Table as Table[Name] extends { optionsRow: true }
    ? never
    : Table[Name] extends { rest: string }
      ? RestName<Name>
      : never]: z.ZodType<ValuesOf<Table>[Name & keyof ValuesOf<Table>]>;
};

const shownIn = (fields: Fields, optionsRow: boolean): Shown =>
  Object.entries(fields).filter(([, field]) => field.rest !== undefined && (field.optionsRow === true) === optionsRow);

/** The fields of a noun that REST shows, under its names: as requests have them, and as answers have them. */
export function formsOf<Table extends Fields>(fields: Table): [requested: Forms<Table>, answered: Forms<Table>] {
  const shown = shownIn(fields, false);
  return [requested(shown) as Forms<Table>, answered(shown) as Forms<Table>];
}

/** The same for its options: the fields in the options row. */
export function optionFormsOf(fields: Fields): [requested: Shape, answered: Shape] {
  const shown = shownIn(fields, true);
  return [requested(shown), answered(shown)];
}

/** The forms of fields that only answers have, in requests: what GET shows may be sent back whole. */
export const ignored = (shape: Shape): Shape =>
  Object.fromEntries(
    Object.entries(shape).map(([name, form]) => [
      name,
      form.optional().meta({ readOnly: true, description: 'Only answers have it. In a request it is ignored.' }),
    ]),
  );

/** Gives the fields of a body their names in GraphQL. In a group, null resets a value that would be inherited. */
export const inGraphqlTerms = (fields: Fields, body: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(body).flatMap(([inRest, value]) => {
      const [name, field] = [graphqlName(inRest), fields[graphqlName(inRest)]];
      return field === undefined ? [[name, value]] : kindOf(field).inputs(name, value, field);
    }),
  );

function groupChange(fields: Members, patch: object | null): Record<string, unknown> {
  const values = Object.entries(patch ?? Object.fromEntries(Object.keys(fields).map((name) => [restName(name), null])));
  const isReset = ([inRest, value]: [string, unknown]) => {
    const [name, field] = [graphqlName(inRest), fields[graphqlName(inRest)]];
    // Without an input of its own name, it has no null.
    return (
      value === null &&
      field !== undefined &&
      (field.inherited !== undefined || !inputNames(name, field).includes(name))
    );
  };
  const reset = values.filter(isReset).map(([name]) => optionName(graphqlName(name)));
  return {
    ...inGraphqlTerms(fields as Fields, Object.fromEntries(values.filter((one) => !isReset(one)))),
    ...(reset.length === 0 ? {} : { reset }),
  };
}

/** Merges a change into values that GraphQL replaces as a whole. @param row the stored values */
export const mergedMaps = (fields: Fields, row: object | null, change: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(change).map(([name, patch]) => {
      const field = fields[name];
      const isMerged = field !== undefined && patch !== null;
      return [name, isMerged ? kindOf(field).merged((row as Values | null)?.[name], patch) : patch];
    }),
  );

/**
 * Where a field of GraphQL's input is in a body. Other steps, such as keys of a map, have no other names.
 *
 * @param input has the names of headers, which are in a list there
 */
export function restPlace([name, ...rest]: Path, input?: unknown, fields: Fields = webhookFields): Path {
  if (name === undefined) {
    return [];
  }
  const found = Object.entries(fields).find(([one, field]) => inputNames(one, field).includes(String(name)));
  if (found === undefined) {
    return [restStep(name), ...rest];
  }
  return [restName(found[0]), ...kindOf(found[1]).place(rest, (input as Values | undefined)?.[name], found[1])];
}

/** Names of fields that REST spells in another way. What a caller has written stands in quotes, and stays. */
const RESPELT = new RegExp(
  `(?<![\\w".])(?:${flat(webhookFields)
    .map(([name]) => name)
    .filter((name) => restName(name) !== name && /[A-Z]/.test(name))
    .join('|')})(?![\\w"])`,
  'g',
);

/** A sentence about fields, with the names that they have in REST. */
export const namesInRest = (sentence: string): string => sentence.replaceAll(RESPELT, restName);

/** The same in the body of a webhook, which has options in an object of their own. */
export const placeInWebhook = (path: Path, input?: unknown): Path =>
  (webhookFields as Fields)[path[0]!]?.optionsRow ? ['options', ...restPlace(path, input)] : restPlace(path, input);

/** The fields of GraphQL that REST's options have, under the names of REST. */
export const optionSelection = (
  fields: Fields,
  isIncluded = ({ optionsRow }: AnyField) => optionsRow === true,
): string =>
  Object.entries(fields)
    .filter(([, field]) => field.rest !== undefined && isIncluded(field))
    .map(([name, field]) => {
      const shown = shownName(name, field);
      return `${restName(shown)}: ${shown}${field.secret ? '' : kindOf(field).selection(field)}`;
    })
    .join(' ');

/** The answer of GraphQL in the form of REST: headers by their names, and names of fields as REST has them. */
export const optionsInRest = (fields: Fields, node: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(node).map(([inRest, value]) => {
      const field = fields[graphqlName(inRest)];
      const isOwn = inRest === 'own' && field === undefined;
      const lower = () => (value as string[]).map((name) => name.toLowerCase());
      return [inRest, isOwn ? lower() : field === undefined ? value : kindOf(field).shown(value, field)];
    }),
  );

/**
 * Leaves out of a change of options the values that GET shows, and those that only answers have: a client may read a
 * resource, change a part of it, and send all of it back. A value that is inherited becomes the webhook's own, unless
 * `own` is sent with it: then it was read.
 *
 * @param shown the options as GET shows them, or would show them of a new webhook without any
 * @param path of the options in the body
 * @throws ApiError secrets_bound_to_origin for a change of what a secret belongs to, without the secret; invalid_input
 */
export const changedOptions = (fields: Fields, change: Values, shown: Values, path: Path): Values =>
  changedIn(fields, change, shown, path, false);

/** @param mayInherit a value that is inherited becomes the own one */
function changedIn(fields: Fields, change: Values, shown: Values, path: Path, mayInherit: boolean): Values {
  const changed = Object.entries(change).flatMap(([name, value]): [string, unknown][] => {
    const field = fields[graphqlName(name)];
    if (
      field === undefined ||
      (isDeepStrictEqual(value, shown[name]) && !(mayInherit && field.inherited !== undefined))
    ) {
      return [];
    }
    return kindOf(field)
      .changed(value, shown[name], [...path, name], field)
      .map((one) => [name, one]);
  });
  return Object.fromEntries(changed);
}
