import 'reflect-metadata';
import { FieldResolver, Query } from 'type-graphql';

interface Options {
  name?: string;
  complexity?: number;
}

/** A query that may be null: an error in it leaves the others of its request their data. */
export const NullableQuery = (type: () => object, description: string, options: Options = {}): MethodDecorator =>
  Query(type, { ...options, nullable: true, description });

/** The same for a field with a resolver. */
export const NullableResolver = (type: () => object, description: string, options: Options = {}): MethodDecorator =>
  FieldResolver(type, { ...options, nullable: true, description });
