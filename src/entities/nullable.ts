import 'reflect-metadata';
import { Field } from 'type-graphql';

/** A field of the schema that may be null. */
export const Nullable = (
  type: () => object,
  description: string,
  options: { defaultValue?: unknown; complexity?: number; deprecationReason?: string } = {},
) => Field(type, { ...options, nullable: true, description });
