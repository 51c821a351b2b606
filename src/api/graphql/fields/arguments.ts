import 'reflect-metadata';
import { Arg, type ClassType, ID } from 'type-graphql';

export const IdArg = (description = 'The id of the object.') => Arg('id', () => ID, { description });

/** The id of an object that has an external id as well: a request names one of them. */
export const OneIdArg = () =>
  Arg('id', () => ID, { nullable: true, description: 'The id of the object. Either this or `externalId`.' });

export const ExternalIdArg = () =>
  Arg('externalId', () => String, { nullable: true, description: 'The external id of the object, letter by letter.' });

export const FilterArg = (type: () => ClassType) =>
  Arg('filter', type, { nullable: true, description: 'Filter conditions. Omit to list everything.' });

export const InputArg = (type: () => ClassType) => Arg('input', type, { description: 'The input of the mutation.' });
