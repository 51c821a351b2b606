// type-graphql's decorators need it. Every entity imports this file first.
import 'reflect-metadata';
import { BigIntType, type Dictionary } from '@mikro-orm/core';

/** A bigint column as a JavaScript number: our ids need 53 bits, so none is ever rounded. */
export const idColumn = () => ({ type: new BigIntType('number'), columnType: 'bigint' });
// Functions, because MikroORM keeps and completes the object that a decorator is given.
export const timeColumn = () => ({ type: 'datetime', columnType: 'timestamptz' });
export const nullableTimeColumn = () => ({ ...timeColumn(), nullable: true });
/** Set by Postgres when the row is inserted. */
export const creationTimeColumn = () => ({ ...timeColumn(), defaultRaw: 'now()' });

/** A relation that the entity has as the id of the other row. The unit of work writes rows in the right order. */
export const reference = (fieldName: string) => ({ mapToPk: true, fieldName }) as const;

/** On by default and without a default argument, so that a query without a tenant throws. */
export const tenantFilter = () => ({
  name: 'tenant',
  cond: (args: Dictionary) => ({ tenantId: args['tenantId'] }),
  default: true,
});
