import type { z } from 'zod';
import type { AnyField } from '../../domain/fields/field.js';
import { isNullable, partsOf } from '../../domain/fields/field-table.js';
import { ApiError, type Path } from '../../errors.js';

/** A kind in REST. */
export interface RestKind<One extends AnyField> {
  /** The form of its values in requests; the resolvers judge the rest. */
  requested(field: One): z.ZodType;
  answered(field: One): z.ZodType;
  /** The parts of a value in a selection of GraphQL. */
  selection(field: One): string;
  /** A value of GraphQL as REST shows it. */
  shown(value: unknown, field: One): unknown;
  /** The fields of GraphQL's input for a value of a request. */
  inputs(name: string, value: unknown, field: One): [name: string, value: unknown][];
  /** A patch of a value that GraphQL replaces as a whole (RFC 7396). It is never null. */
  merged(stored: unknown, patch: unknown): unknown;
  /** Where a part of GraphQL's input is in the value. @param input has the names of headers */
  place(steps: Path, input: unknown, field: One): Path;
  /**
   * Leaves out of a value what GET shows, which changes nothing.
   *
   * @param shown as GET shows it
   * @param path of the value in the body
   * @returns in a list; an empty one: nothing changes
   * @throws ApiError invalid_input; secrets_bound_to_origin where it changes what a secret belongs to, without that
   */
  changed(value: unknown, shown: unknown, path: Path, field: One): [value?: unknown];
}

/** A kind whose values are the same in REST and GraphQL. @param form may be another in requests */
export const valueKind = <One extends AnyField>(
  form: (field: One, description: string, requested: boolean) => z.ZodType,
): RestKind<One> => ({
  requested: (field) => (isNullable(field) ? form(field, field.rest!, true).nullish() : form(field, field.rest!, true)),
  answered(field) {
    const shown = form(field, field.rest!, false);
    return field.optional && field.default === undefined ? shown.nullable() : shown;
  },
  selection: (field) => (partsOf(field).length === 0 ? '' : ` { ${partsOf(field).join(' ')} }`),
  shown: (value) => value,
  inputs: (name, value) => [[name, value]],
  merged: (_, patch) => patch,
  place: (steps) => steps,
  changed: (value) => [value],
});

/** A change of what a secret belongs to, without the secret. */
export const secretMissing = (what: string, change: string, secret: string) =>
  new ApiError('secrets_bound_to_origin', `The secret of ${what} stays where it was set: send ${secret} to ${change}.`);
