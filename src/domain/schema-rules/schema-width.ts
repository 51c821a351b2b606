import { childrenOf, type JsonObject } from './subschemas.js';

/** The width of the widest schema: a payload of six hundred values can be checked by it. */
export const WIDTH_MAX = 1_000;

const REFERENCE = /^#\/\$defs\/([\w.-]+)$/;

/** The value of a keyword that is an object or a list; `{}` where the schema has none. */
export const objectIn = (schema: JsonObject, keyword: string) => (schema[keyword] ?? {}) as JsonObject;

export const referredTo = ({ $ref }: JsonObject): string | undefined => REFERENCE.exec(String($ref))?.[1];

/**
 * The highest weight of all schemas together that judge the same value. The check of a payload takes a time of at most
 * the width times the payload's size. @param schema one without recursion
 */
export const widthOf = (schema: JsonObject): number => measure(schema).width;

/** Each judges a value of its own: only the heaviest one counts. */
const oneForEachValue = ['properties', 'additionalProperties', 'prefixItems', 'items'];

/** @returns the width, and the name of a definition that refers to itself */
export function measure(root: JsonObject): { width: number; circle: string | null } {
  const widths = new Map<string, number>();
  let circle: string | null = null;
  const ofDefinition = (name: string): number => {
    const known = widths.get(name);
    if (known === undefined) {
      widths.set(name, 0); // until it is measured
      widths.set(name, of(objectIn(objectIn(root, '$defs'), name)));
    } else if (known === 0) {
      circle ??= name;
    }
    return widths.get(name)!;
  };
  const of = (schema: JsonObject): number => {
    let highest = weightOf(schema);
    let sum = schema['$ref'] === undefined ? 0 : ofDefinition(referredTo(schema)!);
    for (const [child, [keyword]] of childrenOf(schema)) {
      if (oneForEachValue.includes(keyword!)) {
        highest = Math.max(highest, of(child));
      } else if (keyword !== '$defs') {
        sum += of(child);
      }
    }
    return Math.min(highest + sum, WIDTH_MAX + 1);
  };
  const width = of(root);
  Object.keys(objectIn(root, '$defs')).forEach(ofDefinition); // also those that nothing uses may be recursive
  return { width, circle };
}

/** Ten names or values that are looked for weigh as much as one schema. */
const NAMES_A_WEIGHT = 10;
/** Most of these go through all names or items of a value. */
const weights = Object.entries({
  ...{ minProperties: 2, maxProperties: 2, propertyNames: 2, additionalProperties: 2 },
  ...{ multipleOf: 2, contains: 10, uniqueItems: 10 },
});

function weightOf(schema: JsonObject): number {
  const { properties = {}, patternProperties = {}, required = [], enum: values = [], dependentRequired = {} } = schema;
  const names = [properties, required, values, ...Object.values(dependentRequired as object)];
  const keywords = weights.reduce((sum, [keyword, weight]) => sum + (Object.hasOwn(schema, keyword) ? weight : 0), 0);
  const named = names.reduce<number>((sum, one) => sum + countOf(one), 0);
  return 1 + keywords + 2 * countOf(patternProperties) + Math.floor(named / NAMES_A_WEIGHT);
}

const countOf = (namesOrValues: unknown): number => Object.keys(namesOrValues as object).length;
