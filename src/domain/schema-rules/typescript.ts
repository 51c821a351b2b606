import { objectIn, referredTo } from './schema-width.js';
import type { JsonObject } from './subschemas.js';
import { TypeNames } from './type-names.js';

export interface TypedEvent {
  name: string;
  description: string;
  /** One that the registry has accepted. */
  schema: JsonObject;
  isDeprecated: boolean;
}

const HEAD = `// Made by "hookwright types pull" from the event types of an installation of Hookwright. Pull it again to change it.
`;
const MAP = 'HookwrightEvents';

/**
 * Writes a TypeScript module with a type for each payload, and a map of them by the names of their event types. Each
 * payload that a schema accepts has its type. What TypeScript cannot say, such as a pattern, is left out.
 */
export function typescriptOf(types: readonly TypedEvent[]): string {
  const names = new TypeNames([MAP]);
  const modules = types.map((type) => {
    const payload = names.take(type.name);
    return { ...type, payload, text: new Printer(type.schema, payload, names).module(type) };
  });
  const fields = modules.map(
    (type) => `${comment(aboutOf(type), '  ')}  ${JSON.stringify(type.name)}: ${type.payload};\n`,
  );
  return [HEAD, `export interface ${MAP} {\n${fields.join('')}}\n`, ...modules.map(({ text }) => text)].join('\n');
}

const aboutOf = ({ description, isDeprecated }: TypedEvent): string =>
  `${description}${isDeprecated ? '\n@deprecated Hookwright refuses further events of this type.' : ''}`;

/** Writes the types of one schema. */
class Printer {
  /** The type of each definition that is referred to, by its name in the schema. */
  readonly #definitions = new Map<string, string>();
  #texts = '';

  constructor(
    private readonly root: JsonObject,
    private readonly payload: string,
    private readonly names: TypeNames,
  ) {}

  module(type: TypedEvent): string {
    const text = this.type(this.root, '');
    return `${comment(aboutOf(type), '')}export type ${this.payload} = ${text};\n${this.#texts}`;
  }

  /** @param isPart of an object whose other fields another part allows or forbids */
  type(schema: unknown, indent: string, isPart = false): string {
    if (typeof schema !== 'object' || schema === null) {
      return schema === false ? 'never' : 'unknown';
    }
    const given = schema as JsonObject;
    const own = this.#own(given, indent, isPart);
    const isBare = own === OPEN || own === 'unknown';
    const part = (one: unknown) => this.type(one, indent, isPart || (!isBare && own.startsWith('{')));
    const choices = ['anyOf', 'oneOf'].filter((keyword) => given[keyword] !== undefined);
    const others = [
      ...(given['$ref'] === undefined ? [] : [this.#definition(referredTo(given)!)]),
      ...((given['allOf'] ?? []) as unknown[]).map(part),
      ...choices.map((keyword) => union((given[keyword] as unknown[]).map(part))),
    ].filter((text) => text !== 'unknown');
    const all = [...(isBare && others.length > 0 ? [] : [own]), ...others];
    return all.length === 1 ? all[0]! : [...new Set(all.map(inBrackets))].join(' & ');
  }

  #definition(name: string): string {
    const known = this.#definitions.get(name);
    if (known !== undefined) {
      return known;
    }
    const type = this.names.take(`${this.payload}.${name}`);
    this.#definitions.set(name, type);
    const schema = objectIn(this.root, '$defs')[name];
    const text = this.type(schema, '');
    this.#texts += `\n${comment(textOf(schema), '')}export type ${type} = ${text};\n`;
    return type;
  }

  /** The type by the keywords of the schema itself. */
  #own(schema: JsonObject, indent: string, isPart: boolean): string {
    const types = [schema['type'] ?? likelyTypes(schema)].flat() as string[];
    const values = Object.hasOwn(schema, 'const') ? [schema['const']] : (schema['enum'] as unknown[] | undefined);
    if (values !== undefined) {
      const fitting = values.filter((value) => schema['type'] === undefined || types.some((type) => isOf(type, value)));
      return union(fitting.map((value) => JSON.stringify(value)));
    }
    return union(
      types.map((type) => {
        switch (type) {
          case 'object':
            return this.#object(schema, indent, isPart);
          case 'array':
            return this.#array(schema, indent);
          case 'integer':
            return 'number';
          default:
            return type;
        }
      }),
    );
  }

  #object(schema: JsonObject, indent: string, isPart: boolean): string {
    const { additionalProperties = true, patternProperties = {} } = schema;
    const inner = `${indent}  `;
    const properties = objectIn(schema, 'properties');
    const required = new Set(schema['required'] as string[] | undefined);
    const names = [...new Set([...Object.keys(properties), ...required])].filter((name) => name !== '__proto__');
    const fields = names.map((name) => {
      const field = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
      return { name, text: this.type(field, inner), about: textOf(field), isOptional: !required.has(name) };
    });
    const others = [...Object.values(patternProperties as object), additionalProperties].map((one) =>
      this.type(one, inner),
    );
    const isOpen =
      !(isPart && others.length === 1 && others[0] === 'unknown') && others.some((text) => text !== 'never');
    // The type of other fields has to include those of the named ones.
    const named = fields.flatMap(({ text, isOptional }) => (isOptional ? [text, 'undefined'] : [text]));
    const lines = [
      ...fields.map(
        ({ name, text, about, isOptional }) =>
          `${comment(about, inner)}${inner}${nameOf(name)}${isOptional ? '?' : ''}: ${text};\n`,
      ),
      ...(isOpen ? [`${inner}[key: string]: ${union([...others, ...named])};\n`] : []),
    ];
    if (lines.length === 0) {
      return isPart ? 'unknown' : 'Record<string, never>';
    }
    return fields.length === 0 && lines[0] === `${inner}[key: string]: unknown;\n`
      ? OPEN
      : `{\n${lines.join('')}${indent}}`;
  }

  #array(schema: JsonObject, indent: string): string {
    const { prefixItems = [], items = true, minItems = 0 } = schema;
    const rest = `${inBrackets(this.type(items, indent))}[]`;
    const first = (prefixItems as unknown[]).map((item, index) => {
      const text = inBrackets(this.type(item, indent));
      return index < Number(minItems) ? text : `${text}?`;
    });
    return first.length === 0 ? rest : `[${[...first, ...(items === false ? [] : [`...${rest}`])].join(', ')}]`;
  }
}

/** An object of which nothing else is known. */
const OPEN = '{ [key: string]: unknown }';

/** A schema without a type that has the keywords of objects or of lists is meant for those. */
function likelyTypes(schema: JsonObject): string {
  const has = (...keywords: string[]) => keywords.some((keyword) => Object.hasOwn(schema, keyword));
  if (has('properties', 'required', 'additionalProperties', 'patternProperties')) {
    return 'object';
  }
  return has('items', 'prefixItems') ? 'array' : 'unknown';
}

function isOf(type: string, value: unknown): boolean {
  return type === 'null' ? value === null : typeof value === (type === 'integer' ? 'number' : type);
}

function union(types: readonly string[]): string {
  const different = [...new Set(types)].filter((type) => type !== 'never');
  return different.includes('unknown') ? 'unknown' : different.join(' | ') || 'never';
}

/** A union or an intersection in brackets. */
function inBrackets(type: string): string {
  let outer = type.replaceAll(/"(?:[^"\\]|\\.)*"|\/\*[\s\S]*?\*\//g, '');
  for (let before = ''; before !== outer; ) {
    before = outer;
    outer = outer.replaceAll(/[{[(<][^{}[\]()<>]*[}\])>]/g, '');
  }
  return / [|&] /.test(outer) ? `(${type})` : type;
}

const nameOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

function textOf(schema: unknown): string {
  const { description } = (typeof schema === 'object' && schema !== null ? schema : {}) as { description?: unknown };
  return typeof description === 'string' ? description : '';
}

function comment(text: string, indent: string): string {
  const lines = text.trim().replaceAll('*/', '*\\/').split(/\r?\n/);
  if (lines[0] === '') {
    return '';
  }
  return lines.length === 1
    ? `${indent}/** ${lines[0]} */\n`
    : `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}
