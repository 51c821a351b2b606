import type { AnyField, Field, Fields, Members } from './field.js';
import { kindOf, type Row } from './kinds.js';

/** The fields of a group; null: it is a value. */
export const membersOf = (field: AnyField): Members | null => kindOf(field).members(field);

/** The parts of a field's value that readers select; none: it has no parts. */
export const partsOf = (field: Pick<AnyField, 'kind'>): readonly string[] => kindOf(field).parts;

/** The fields of a noun with those of its groups, and where they are stored. @returns `place`: the group, or itself */
export const flat = (fields: Fields): [name: string, field: Field, place: string][] =>
  Object.entries(fields).flatMap(([place, field]): [string, Field, string][] =>
    Object.entries(membersOf(field) ?? { [place]: field as Field }).map(([name, one]) => [
      name,
      field.optionsRow ? { ...one, optionsRow: true } : one,
      place,
    ]),
  );

/** The values of groups and of other fields at one level, as they are stored. */
export const flatValues = (fields: Fields, values: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      fields[name] !== undefined && membersOf(fields[name]) !== null
        ? Object.entries((value ?? {}) as object)
        : [[name, value]],
    ),
  );

/** It may be left out of a new object. */
export const isNullable = (field: AnyField): boolean =>
  field.optional === true || field.inherited !== undefined || membersOf(field) !== null;

/** The names of a field in GraphQL's inputs: headers are set and removed one by one. */
export const inputNames = (name: string, field: Pick<AnyField, 'kind'>): readonly string[] =>
  kindOf(field).inputNames(name);

/** The value that readers get of a field, or of a group with the names of the fields that the first row sets itself. */
export const valueInForce = (name: string, field: AnyField, rows: readonly (object | null)[], installation: object) =>
  kindOf(field).shown(name, field, rows as readonly Row[], installation);
