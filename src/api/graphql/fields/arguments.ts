import 'reflect-metadata';
import { Arg, type ClassType, ID } from 'type-graphql';

export const IdArg = (description = 'The id of the object.') => Arg('id', () => ID, { description });

export const FilterArg = (type: () => ClassType) =>
  Arg('filter', type, { nullable: true, description: 'Filter conditions. Omit to list everything.' });

export const InputArg = (type: () => ClassType) => Arg('input', type, { description: 'The input of the mutation.' });
