/** A schema other than `true` and `false`. */
export type JsonObject = Readonly<Record<string, unknown>>;

const holdsOne = ['additionalProperties', 'propertyNames', 'items', 'contains', 'not', 'if', 'then', 'else'];
const holdsList = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const holdsMap = ['properties', 'patternProperties', '$defs'];

/** The keywords that contain schemas. Every other value is data, even if it looks like a schema. */
export const SCHEMA_KEYWORDS: readonly string[] = [...holdsOne, ...holdsList, ...holdsMap];

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The schemas directly within one, each with its path; `{}` stands for `true` and `false`. */
export function childrenOf(schema: JsonObject): [child: JsonObject, path: string[]][] {
  return SCHEMA_KEYWORDS.filter((keyword) => Object.hasOwn(schema, keyword)).flatMap((keyword) => {
    const value = schema[keyword];
    const children: [unknown, string[]][] = holdsOne.includes(keyword)
      ? [[value, [keyword]]]
      : Object.entries(value as object).map(([name, child]) => [child, [keyword, name]]);
    return children.map(([child, path]): [JsonObject, string[]] => [isObject(child) ? child : {}, path]);
  });
}

/** Calls `visit` for the schema and every one within it. */
export function walkSchemas(
  schema: JsonObject,
  visit: (schema: JsonObject, path: string[]) => void,
  path: string[] = [],
): void {
  visit(schema, path);
  for (const [child, steps] of childrenOf(schema)) {
    walkSchemas(child, visit, [...path, ...steps]);
  }
}

/** A copy in which `change` has replaced every schema, the inner ones first. */
export function mapSchemas(schema: JsonObject, change: (schema: JsonObject) => JsonObject): JsonObject {
  const map = (value: unknown) => (isObject(value) ? mapSchemas(value, change) : value);
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (holdsOne.includes(keyword)) {
      return [keyword, map(value)];
    }
    if (holdsList.includes(keyword) && Array.isArray(value)) {
      return [keyword, value.map(map)];
    }
    return holdsMap.includes(keyword) && isObject(value)
      ? [keyword, Object.fromEntries(Object.entries(value).map(([name, child]) => [name, map(child)]))]
      : [keyword, value];
  });
  return change(Object.fromEntries(entries));
}
