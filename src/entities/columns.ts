// type-graphql's decorators need it. Every entity imports this file first.
import 'reflect-metadata';
import { BigIntType, type Dictionary, type PropertyOptions } from '@mikro-orm/core';
import { Property } from '@mikro-orm/decorators/legacy';
import { Field, Int } from 'type-graphql';

/** A bigint column as a JavaScript number: our ids need 53 bits, so none is ever rounded. */
export const idColumn = () => ({ type: new BigIntType('number'), columnType: 'bigint' });
// Functions, because MikroORM keeps and completes the object that a decorator is given.
export const timeColumn = () => ({ type: 'datetime', columnType: 'timestamptz' });
export const nullableTimeColumn = () => ({ ...timeColumn(), nullable: true });

/** A relation that the entity has as the id of the other row. The unit of work writes rows in the right order. */
export const reference = (fieldName: string) => ({ mapToPk: true, fieldName }) as const;

/** On by default and without a default argument, so that a query without a tenant throws. */
export const tenantFilter = () => ({
  name: 'tenant',
  cond: (args: Dictionary) => ({ tenantId: args['tenantId'] }),
  default: true,
});

type Column = PropertyOptions<object>;

const shownAs =
  (type: () => object, column: Column) =>
  (description: string, more: Column = {}): PropertyDecorator =>
  (target, name) => {
    const options = { ...column, ...more };
    Property(options)(target, name as string);
    Field(type, { nullable: options.nullable === true, description })(target, name);
  };

/** Decorators of columns that the API shows, by their types. */
export const shown = {
  text: shownAs(() => String, { type: 'text' }),
  nullableText: shownAs(() => String, { type: 'text', nullable: true }),
  texts: shownAs(() => [String], { type: 'string[]', columnType: 'text[]' }),
  enum: (type: () => object, description: string, more?: Column) => shownAs(type, { type: 'text' })(description, more),
  enums: (type: () => object, description: string) =>
    shownAs(() => [type()] as never, { type: 'string[]', columnType: 'text[]' })(description),
  integer: shownAs(() => Int, { type: 'integer' }),
  nullableInteger: shownAs(() => Int, { type: 'integer', nullable: true }),
  boolean: shownAs(() => Boolean, { type: 'boolean' }),
  time: shownAs(() => Date, timeColumn()),
  nullableTime: shownAs(() => Date, nullableTimeColumn()),
  /** Set by Postgres when the row is inserted. */
  creationTime: shownAs(() => Date, { ...timeColumn(), defaultRaw: 'now()' }),
};
