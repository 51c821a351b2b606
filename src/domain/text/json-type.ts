/** The types of JSON values, by their names in JSON Schema. */
export type JsonType = 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array';

export const jsonTypeOf = (value: unknown): JsonType =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : (typeof value as JsonType);

const WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'a boolean',
  object: 'an object',
  array: 'a list',
};

/** Types in words: `a string or null`. */
export function typesInWords(types: readonly string[]): string {
  const words = types.map((type) => WORDS[type] ?? type);
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(' or ');
}

/** The type of a value in words: `a number`. */
export const typeInWords = (value: unknown): string => typesInWords([jsonTypeOf(value)]);

/** The end of a sentence about a value of another type: `must be a string, not a number`. */
export function mustBe(types: readonly string[], value: unknown): string {
  const isFraction = types.includes('integer') && typeof value === 'number';
  return `must be ${typesInWords(types)}${isFraction ? '' : `, not ${typeInWords(value)}`}`;
}
