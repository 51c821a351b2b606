import 'reflect-metadata';
import { Arg, type ClassType, ID } from 'type-graphql';

/** The argument `id` of a query for one object. */
export const IdArg = (description = 'The id of the object.') => Arg('id', () => ID, { description });

/** The argument `filter` of a list. */
export const FilterArg = (type: () => ClassType) =>
  Arg('filter', type, { nullable: true, description: 'Filter conditions. Omit to list everything.' });

/** The only argument of a mutation. */
export const InputArg = (type: () => ClassType) => Arg('input', type, { description: 'The input of the mutation.' });
