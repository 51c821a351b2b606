/** A schema that is not just `true` or `false`. */
export type JsonObject = Readonly<Record<string, unknown>>;

const inOne: readonly string[] = [
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'items', 'unevaluatedItems'],
  ...['contains', 'not', 'if', 'then', 'else'],
];
const inList: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const inMap: readonly string[] = [
  ...['properties', 'patternProperties', 'dependentSchemas', 'dependencies', '$defs', 'definitions'],
];

/** The keywords whose values are schemas, or have schemas in them. */
export const SCHEMA_KEYWORDS: readonly string[] = [...inOne, ...inList, ...inMap];

/** A list is none, though `dependencies` may have lists of names where it may have schemas. */
const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The schemas that stand directly in one, each with the steps there. What is elsewhere is data, however much it looks
 * like a schema: in `const`, `enum`, `default`, `examples` and in keywords that JSON Schema does not have.
 */
export function childrenOf(schema: JsonObject): [child: unknown, steps: string[]][] {
  const own = (keyword: string) => (Object.hasOwn(schema, keyword) ? schema[keyword] : undefined);
  return [
    ...inOne.map((keyword): [unknown, string[]] => [own(keyword), [keyword]]),
    ...[...inList, ...inMap].flatMap((keyword) =>
      Object.entries((own(keyword) as object | undefined) ?? {}).map(([name, child]): [unknown, string[]] => [
        child,
        [keyword, name],
      ]),
    ),
  ];
}

/** Calls `visit` for the schema and every one within it; `{}` stands for `true` and `false`. */
export function walkSchemas(
  schema: unknown,
  visit: (schema: JsonObject, path: string[]) => void,
  path: string[] = [],
): void {
  if (typeof schema === 'boolean') {
    visit({}, path);
  }
  if (!isObject(schema)) {
    return;
  }
  visit(schema, path);
  for (const [child, steps] of childrenOf(schema)) {
    walkSchemas(child, visit, [...path, ...steps]);
  }
}

/** A copy in which `change` has replaced every schema, those within it first. Data stays as it is. */
export function mapSchemas(schema: JsonObject, change: (schema: JsonObject) => JsonObject): JsonObject {
  const map = (value: unknown) => (isObject(value) ? mapSchemas(value, change) : value);
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (inOne.includes(keyword)) {
      return [keyword, map(value)];
    }
    if (inList.includes(keyword) && Array.isArray(value)) {
      return [keyword, value.map(map)];
    }
    return inMap.includes(keyword) && isObject(value)
      ? [keyword, Object.fromEntries(Object.entries(value).map(([name, child]) => [name, map(child)]))]
      : [keyword, value];
  });
  return change(Object.fromEntries(entries));
}

/**
 * The JSON pointer in a reference as `#/$defs/a%20b`, which is decoded before it is split; `#` for one that cannot be.
 */
export function targetOf(reference: string): string {
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return '#';
  }
}

/** A reference to a place that reads the same, whether it is split or decoded first. */
export const referenceTo = (pointer: string): string => `#${pointer.split('/').map(encodeURIComponent).join('/')}`;
