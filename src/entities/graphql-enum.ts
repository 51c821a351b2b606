import 'reflect-metadata';
import { registerEnumType } from 'type-graphql';

/**
 * Makes an enum of the schema, whose values are their names.
 *
 * @param values the description of each
 */
export function graphqlEnum<Name extends string>(name: string, description: string, values: Record<Name, string>) {
  const entries = Object.entries<string>(values);
  const names = Object.fromEntries(entries.map(([value]) => [value, value])) as { readonly [Value in Name]: Value };
  const valuesConfig = Object.fromEntries(entries.map(([value, text]) => [value, { description: text }]));
  registerEnumType(names, { name, description, valuesConfig: valuesConfig as never });
  return names;
}
