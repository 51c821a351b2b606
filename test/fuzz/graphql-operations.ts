import {
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { fc } from '../support/properties.js';
import { text } from './texts.js';

/** The body of a request to /graphql, as JSON will have it. */
export interface GraphqlBody {
  query: string;
  variables?: Record<string, unknown>;
  operationName?: unknown;
}

type Types = readonly GraphQLInputType[];

/** Values of a type. Wild ones are of another type, one in twenty. */
function inputOf(type: GraphQLInputType, isWild: boolean, within: Types = []): fc.Arbitrary<unknown> {
  if (isNonNullType(type)) {
    return inputOf(type.ofType, isWild, within);
  }
  if (isListType(type)) {
    return fc.array(inputOf(type.ofType, isWild, within), { maxLength: 4 });
  }
  return fc.oneof(
    { weight: 19, arbitrary: rightInput(type, isWild, within) },
    { weight: isWild ? 1 : 0, arbitrary: fc.oneof(fc.jsonValue(), text) },
  );
}

function rightInput(type: GraphQLInputType, isWild: boolean, within: Types): fc.Arbitrary<unknown> {
  if (isInputObjectType(type)) {
    // One that contains itself ends at the second level.
    const isOver = within.filter((one) => one === type).length > 1;
    const fields = Object.values(type.getFields()).filter((field) => !isOver || isNonNullType(field.type));
    const requiredKeys = fields.filter((field) => isNonNullType(field.type)).map(({ name }) => name);
    const members = fields.map((field) => [field.name, inputOf(field.type, isWild, [...within, type])]);
    return fc.record(Object.fromEntries(members), { requiredKeys: requiredKeys as never[] });
  }
  return isEnumType(type)
    ? fc.constantFrom(...type.getValues().map(({ name }) => name))
    : scalarOf(getNamedType(type).name, isWild);
}

function scalarOf(name: string, isWild: boolean): fc.Arbitrary<unknown> {
  switch (name) {
    case 'Int':
      return fc.oneof(fc.integer({ min: -2_147_483_648, max: 2_147_483_647 }), fc.integer({ min: -2, max: 12 }));
    case 'Boolean':
      return fc.boolean();
    case 'ID':
      return fc.oneof(
        fc.integer({ min: 1, max: 5 }).map(String),
        fc.tuple(fc.constantFrom('wh', 'ev', 'tn', 'op', 'xx'), fc.nat({ max: 5 })).map((parts) => parts.join('_')),
        fc.constantFrom('et_coupon.applied', 'at_1_1'),
        text,
      );
    case 'JSONObject':
      return fc.oneof(fc.dictionary(text, fc.jsonValue()), fc.record({ code: text, discount_type: text }));
    case 'DateTime':
      return fc.oneof(
        isWild ? text : fc.constant('2026-01-31T09:30:00+00:00'),
        fc
          .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
          .map((date) => date.toISOString()),
        fc.constantFrom('0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999-23:59'), // at the edges
      );
    default:
      return text;
  }
}

/** Operations over the whole schema: well typed for the most part, with something wrong here and there. */
export function operations(schema: GraphQLSchema): fc.Arbitrary<GraphqlBody> {
  return fc.gen().map((draw) => new Writer(schema, draw).write());
}

const DEPTH_MAX = 5;

class Writer {
  readonly #definitions: string[] = [];
  readonly #values: Record<string, unknown> = {};
  readonly #fragments: string[] = [];
  #aliases = 0;
  /** Half of the operations are well typed in every part; limits and rules may still refuse them. */
  readonly #isWild: boolean;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly draw: fc.GeneratorValue,
  ) {
    this.#isWild = draw(fc.boolean);
  }

  write(): GraphqlBody {
    const kind = this.#one(['query', 'query', 'mutation', ...(this.#wrongly(25) ? ['subscription'] : [])]);
    const root = kind === 'mutation' ? this.schema.getMutationType() : this.schema.getQueryType();
    const selection = this.#selection(root!, 0);
    const name = this.#rarely(4) ? 'Fuzz' : '';
    const definitions = this.#definitions.length > 0 ? `(${this.#definitions.join(', ')})` : '';
    const query = [`${kind} ${name}${definitions} ${selection}`, ...this.#fragments].join('\n');
    return {
      query: this.#wrongly(15) ? this.#damage(query) : query,
      ...(Object.keys(this.#values).length > 0 ? { variables: this.#values } : {}),
      ...(name === '' || this.#rarely(3) ? {} : { operationName: this.#wrongly(10) ? this.draw(() => text) : name }),
    };
  }

  #selection(type: GraphQLObjectType, depth: number): string {
    const fields = Object.values(type.getFields()).filter(
      (field) => depth < DEPTH_MAX || !isCompositeType(getNamedType(field.type)),
    );
    const count = 1 + this.draw(fc.nat, { max: depth === 0 ? 1 : 5 });
    const used = new Set<string>();
    const parts = Array.from({ length: count }, () => {
      if (fields.length === 0 || this.#rarely(25)) {
        return '__typename';
      }
      return this.#wrongly(25)
        ? this.#one(['nothing', '__schema { types { name } }', '...Nowhere'])
        : this.#field(this.#one(fields), depth, used);
    });
    const inner = parts.join(' ');
    switch (this.draw(fc.nat, { max: 24 })) {
      case 0:
        return `{ ... on ${type.name} ${this.#condition()} { ${inner} } }`;
      case 1:
        return `{ ... { ${inner} } }`;
      case 2: {
        const name = `F${this.#fragments.length}`;
        this.#fragments.push(`fragment ${name} on ${type.name} { ${inner} ${this.#wrongly(10) ? `...${name}` : ''} }`);
        return `{ ...${name} ${this.#condition()} }`;
      }
      default:
        return `{ ${inner} }`;
    }
  }

  /** For an abstract type: takes one of its types. */
  #selectionOf(type: GraphQLCompositeType, depth: number): string {
    if (!isAbstractType(type)) {
      return this.#selection(type, depth);
    }
    const one = this.#one(this.schema.getPossibleTypes(type));
    return `{ __typename ... on ${one.name} ${this.#selection(one, depth)} }`;
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number, used: Set<string>): string {
    // The same field twice in one place needs another name, unless all of it is the same.
    const alias = used.has(field.name) || this.#rarely(20) ? `a${this.#aliases++}: ` : '';
    used.add(field.name);
    const args = field.args
      .filter(({ type }) => (isNonNullType(type) ? !this.#wrongly(20) : this.#rarely(3)))
      .map((arg) => `${arg.name}: ${this.#argument(arg)}`);
    const list = args.length > 0 ? `(${args.join(', ')})` : '';
    const named = getNamedType(field.type);
    const selects = isCompositeType(named) !== this.#wrongly(30);
    const selection = selects && isCompositeType(named) ? this.#selectionOf(named, depth + 1) : selects ? '{ id }' : '';
    return `${alias}${field.name}${list} ${this.#condition()} ${selection}`;
  }

  #argument({ name, type }: GraphQLArgument): string {
    const value = this.draw(() => inputOf(type, this.#isWild));
    if (this.#rarely(3)) {
      return literal(value, type);
    }
    const variable = `v${this.#definitions.length}`;
    const declared = this.#wrongly(20) ? this.#one(['Int', 'String', 'ID!', 'Nope']) : String(type);
    this.#definitions.push(`$${variable}: ${declared}${this.#rarely(30) ? ` = ${literal(value, type)}` : ''}`);
    if (!this.#wrongly(10)) {
      this.#values[variable] = value;
    }
    return `$${this.#wrongly(30) ? name : variable}`;
  }

  #condition(): string {
    const wrong = this.#wrongly(10) ? ['@skip', '@nope', '@skip(if: 1)'] : [];
    return this.#rarely(15)
      ? this.#one(['@skip(if: false)', '@include(if: true)', '@include(if: false)', ...wrong])
      : '';
  }

  /** Cuts, doubles or adds to a document. */
  #damage(query: string): string {
    const at = this.draw(fc.nat, { max: query.length });
    return this.#one([query.slice(0, at), query.slice(0, at) + this.draw(() => text) + query.slice(at), query + query]);
  }

  #one<Choice>(choices: readonly Choice[]): Choice {
    return choices[this.draw(fc.nat, { max: choices.length - 1 })]!;
  }

  /** Like `rarely`, and never in an operation that must be right. */
  #wrongly(times: number): boolean {
    return this.#isWild && this.#rarely(times);
  }

  /** True once in so many times. */
  #rarely(times: number): boolean {
    return this.draw(fc.nat, { max: times - 1 }) === times - 1;
  }
}

/** A value as a document has it; members' names that are not names make it no document. */
function literal(value: unknown, type: GraphQLInputType): string {
  const named = getNamedType(type);
  if (Array.isArray(value)) {
    return `[${value.map((inner) => literal(inner, type)).join(', ')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const fields = isInputObjectType(named) ? named.getFields() : {};
    const members = Object.entries(value).map(
      ([name, inner]) => `${name}: ${literal(inner, fields[name]?.type ?? type)}`,
    );
    return `{${members.join(', ')}}`;
  }
  return isEnumType(named) && typeof value === 'string' && /^[A-Z_]+$/.test(value)
    ? value
    : JSON.stringify(value ?? null);
}
