import 'reflect-metadata';
import { Ctx, FieldResolver, Root } from 'type-graphql';
import { type Fields, valueInForce } from '../../../domain/fields/field.js';
import { shownType } from '../../../entities/fields.js';
import type { Context } from '../../context/context.js';

/**
 * Gives the resolver of a noun its fields.
 *
 * @param readBeside reads the row beside it, for the fields that are stored there
 */
export const Resolved =
  <Noun extends object>(
    fields: Fields,
    readBeside: (noun: Noun, context: Context) => Promise<object | null>,
  ): ClassDecorator =>
  ({ prototype }) => {
    for (const [name, field] of Object.entries(fields)) {
      const resolve = (noun: Noun, context: Context) => {
        const valueIn = (row: object | null) => valueInForce(name, field, [row], context.config);
        return field.beside ? readBeside(noun, context).then(valueIn) : valueIn(noun);
      };
      Object.defineProperty(prototype, name, { value: resolve });
      FieldResolver(...shownType(field))(prototype as object, name, { value: resolve });
      Root()(prototype as object, name, 0);
      Ctx()(prototype as object, name, 1);
    }
  };
