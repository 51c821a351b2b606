/** A property of a payload, as a line of a table. */
export interface Property {
  /** The property's path, unique in the table, for example `customer.address[].city`. */
  path: string;
  /** The last part of the path. */
  name: string;
  /** How deep it is nested; 0 at the top. */
  depth: number;
  /** The type in words: `string`, `integer or null`, `list of objects`. */
  type: string;
  required: boolean;
  /** The bounds in words: `at most 20 characters`. */
  rules: readonly string[];
  description: string | undefined;
}

type Schema = Readonly<Record<string, unknown>>;

type Member = { name: string; schema: Schema; required: boolean };

/** A schema may be 64 levels deep: what lies deeper than this is read as JSON. */
const DEPTH_MAX = 12;
const PROPERTIES_MAX = 500;

/** The properties of a JSON Schema (2020-12), nested ones below their parents, in the order of the schema. */
export function propertiesOf(root: Schema): Property[] {
  const found: Property[] = [];
  const walk = (schema: Schema, path: string, depth: number): void => {
    for (const { name, schema: property, required } of membersOf(schema, root)) {
      if (found.length >= PROPERTIES_MAX || depth > DEPTH_MAX) {
        return;
      }
      const own = `${path}${path === '' ? '' : '.'}${name}`;
      found.push({
        path: own,
        name,
        depth,
        type: typeOf(property, root),
        required,
        rules: rulesOf(property),
        description: textOf(property['description'] ?? property['title']),
      });
      walk(property, own, depth + 1);
      let inside = own;
      for (let items = itemsOf(property, root); items !== undefined; items = itemsOf(items, root)) {
        inside += '[]';
        walk(items, inside, depth + 1);
      }
    }
  };
  walk(resolved(root, root), '', 0);
  return found;
}

/** Named properties, also of alternatives and conditions, where those that not every payload needs are not required. */
function membersOf(schema: Schema, root: Schema): Member[] {
  const members = new Map<string, Member>();
  const add = (part: unknown, always: boolean, depth = 0) => {
    if (objectOf(part) === undefined || depth > DEPTH_MAX) {
      return;
    }
    const { required, properties, allOf, anyOf, oneOf, ...rest } = resolved(objectOf(part) ?? {}, root);
    for (const [name, value] of Object.entries(objectOf(properties) ?? {})) {
      const earlier = members.get(name);
      members.set(name, {
        name,
        schema: earlier?.schema ?? resolved(objectOf(value) ?? {}, root),
        required: earlier?.required || (always && listOf(required).includes(name)),
      });
    }
    for (const one of listOf(allOf)) {
      add(one, always, depth + 1);
    }
    for (const one of [...listOf(anyOf), ...listOf(oneOf), rest['then'], rest['else']]) {
      add(one, false, depth + 1);
    }
  };
  add(schema, true);
  for (const [pattern, value] of Object.entries(objectOf(schema['patternProperties']) ?? {})) {
    const name = `/${pattern}/`;
    members.set(name, { name, schema: resolved(objectOf(value) ?? {}, root), required: false });
  }
  const others = objectOf(schema['additionalProperties']);
  if (others !== undefined) {
    members.set('*', { name: '*', schema: resolved(others, root), required: false });
  }
  return [...members.values()];
}

/** A payload to begin with, where no sample is known: what is required, with empty values. */
export function skeletonOf(root: Schema): Record<string, unknown> {
  const startOf = (schema: Schema, depth: number): unknown => {
    const [first] = 'const' in schema ? [schema['const']] : listOf(schema['enum'] ?? schema['examples']);
    if (first !== undefined) {
      return first;
    }
    const [type] = [schema['type']].flat();
    if (type === 'object' || schema['properties'] !== undefined) {
      const members = depth > DEPTH_MAX ? [] : membersOf(schema, root).filter(({ required }) => required);
      return Object.fromEntries(members.map(({ name, schema }) => [name, startOf(schema, depth + 1)]));
    }
    return EMPTY[type as string] ?? null;
  };
  return startOf({ type: 'object', ...resolved(root, root) }, 0) as Record<string, unknown>;
}

const EMPTY: Readonly<Record<string, unknown>> = {
  string: '',
  integer: 0,
  number: 0,
  boolean: false,
  array: [],
};

const itemsOf = (schema: Schema, root: Schema): Schema | undefined => {
  const items = objectOf(schema['items']);
  return items === undefined ? undefined : resolved(items, root);
};

/** Follows `$ref` within the schema; the API takes none that leads elsewhere or round in a circle. */
function resolved(schema: Schema, root: Schema, steps = 0): Schema {
  const reference = schema['$ref'];
  if (typeof reference !== 'string' || !reference.startsWith('#') || steps > 16) {
    return schema;
  }
  let target: unknown = root;
  for (const part of reference.slice(1).split('/').slice(1)) {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    target =
      typeof target === 'object' && target !== null && Object.hasOwn(target, name)
        ? (target as Schema)[name]
        : undefined;
  }
  const { $ref: _reference, ...others } = schema;
  return { ...resolved(objectOf(target) ?? {}, root, steps + 1), ...others };
}

function typeOf(schema: Schema, root: Schema): string {
  const types = (Array.isArray(schema['type']) ? schema['type'] : [schema['type']]).filter(
    (type): type is string => typeof type === 'string',
  );
  if (types.length === 0) {
    const alternatives = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])].map((one) =>
      typeOf(resolved(objectOf(one) ?? {}, root), root),
    );
    return alternatives.length > 0 ? [...new Set(alternatives)].join(' or ') : valuesType(schema);
  }
  return types
    .map((type) => {
      const items = type === 'array' ? itemsOf(schema, root) : undefined;
      return items === undefined ? type : `array of ${typeOf(items, root)}`;
    })
    .join(' or ');
}

/** The allowed values, if the schema lists them. */
function valuesType(schema: Schema): string {
  const values = 'const' in schema ? [schema['const']] : listOf(schema['enum']);
  const types = new Set(values.map((value) => (value === null ? 'null' : typeof value)));
  return types.size > 0 ? [...types].join(' or ') : 'any';
}

const RULES: Readonly<Record<string, (value: string) => string>> = {
  const: (value) => `= ${value}`,
  format: (value) => value.slice(1, -1),
  pattern: (value) => `matches ${value.slice(1, -1)}`,
  minLength: (value) => `length ≥ ${value}`,
  maxLength: (value) => `length ≤ ${value}`,
  minimum: (value) => `≥ ${value}`,
  maximum: (value) => `≤ ${value}`,
  exclusiveMinimum: (value) => `> ${value}`,
  exclusiveMaximum: (value) => `< ${value}`,
  multipleOf: (value) => `multiple of ${value}`,
  minItems: (value) => `items ≥ ${value}`,
  maxItems: (value) => `items ≤ ${value}`,
  uniqueItems: (value) => (value === 'true' ? 'unique items' : ''),
  minProperties: (value) => `properties ≥ ${value}`,
  maxProperties: (value) => `properties ≤ ${value}`,
  additionalProperties: (value) => (value === 'false' ? 'no other properties' : ''),
  default: (value) => `default ${value}`,
  deprecated: (value) => (value === 'true' ? 'deprecated' : ''),
};
const VALUES_SHOWN_MAX = 20;

function rulesOf(schema: Schema): string[] {
  const rules = Object.entries(RULES)
    .filter(([word]) => schema[word] !== undefined)
    .map(([word, say]) => say(JSON.stringify(schema[word])))
    .filter((rule) => rule !== '');
  const values = listOf(schema['enum']).map((value) => JSON.stringify(value));
  if (values.length > 0) {
    const more = values.length > VALUES_SHOWN_MAX ? `, … (${values.length})` : '';
    rules.unshift(`${values.slice(0, VALUES_SHOWN_MAX).join(', ')}${more}`);
  }
  return rules;
}

const objectOf = (value: unknown): Schema | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : undefined;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
