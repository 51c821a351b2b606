// type-graphql's decorators need it, whether or not types are emitted; every entity imports this file first.
import 'reflect-metadata';
import { BigIntType, type Dictionary } from '@mikro-orm/core';

/** A bigint column as a JavaScript number: our ids need 53 bits, so none is ever rounded. */
export const idColumn = () => ({ type: new BigIntType('number'), columnType: 'bigint' });
// Functions, because MikroORM keeps and completes the object that a decorator is given.
export const timeColumn = () => ({ type: 'datetime', columnType: 'timestamptz' });
export const nullableTimeColumn = () => ({ ...timeColumn(), nullable: true });
/** Set by Postgres when the row is made, and by nobody afterwards. */
export const creationTimeColumn = () => ({ ...timeColumn(), defaultRaw: 'now()' });

/**
 * Options of a relation that entities have as the id of the other row. The unit of work knows what refers to what and
 * writes rows in that order, and nothing is loaded where only the id is needed.
 */
export const reference = (fieldName: string) => ({ mapToPk: true, fieldName }) as const;

/**
 * On by default and without a default argument: a query that has no tenant throws instead of reading everybody's rows.
 */
export const tenantFilter = () => ({
  name: 'tenant',
  cond: (args: Dictionary) => ({ tenantId: args['tenantId'] }),
  default: true,
});
