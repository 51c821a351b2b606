import 'reflect-metadata';
import { Field as GraphqlField } from 'type-graphql';
import type { Field, Fields } from '../domain/fields/field.js';
import { shown } from './columns.js';

const kinds: { [Kind in Field['kind']]: { column: typeof shown.text; type: () => object } } = {
  url: { column: shown.text, type: () => String },
  text: { column: shown.text, type: () => String },
  eventTypes: { column: shown.texts, type: () => [String] },
};

/** Gives an entity the columns of its fields, which GraphQL shows. */
export const Stored =
  (fields: Fields): ClassDecorator =>
  ({ prototype }) => {
    for (const [name, { kind, description, optional }] of Object.entries(fields)) {
      kinds[kind].column(description, { nullable: optional === true })(prototype, name);
    }
  };

/**
 * Gives an input of GraphQL the fields of a noun.
 *
 * @param of a new object, or of a change, which may leave out any field
 */
export const Taken =
  (fields: Fields, of: 'new' | 'change'): ClassDecorator =>
  ({ prototype }) => {
    for (const [name, { kind, input, optional }] of Object.entries(fields)) {
      const options = { nullable: of === 'change' || optional === true, description: input };
      GraphqlField(kinds[kind].type, options)(prototype as object, name);
    }
  };
