import { HeaderMap, type HTTPGraphQLResponse } from '@apollo/server';
import {
  type FieldNode,
  type GraphQLError,
  type GraphQLField,
  type GraphQLFormattedError,
  type GraphQLObjectType,
  getArgumentValues,
  getNullableType,
  getVariableValues,
  isLeafType,
  isObjectType,
  locatedError,
  type SelectionNode,
} from 'graphql';
import { BoundedMap } from '../../../domain/collections/bounded-map.js';
import type { Context } from '../../context/context.js';
import { EmitResolver } from '../emits/emit.js';
import type { EmitEventInput } from '../emits/emit-types.js';
import { admit } from './admit.js';
import { finishAnswer, noteErrors, type Response, resultOf, textOf } from './answer.js';
import type { KnownOperation } from './operation.js';
import type { Admission, GraphqlRequest } from './request.js';

/** Producers have a few each. */
const DOCUMENTS_MAX = 200;

type Values = Record<string, unknown>;

/**
 * Emits whose document Apollo has parsed, validated and let run before. They skip its pipeline and GraphQL's execution,
 * which take longer than all else that the API does for an emit (docs/decisions/0079). Their rules, errors and answers
 * are the same: where a request is in any way unusual, or is refused before it takes effect, Apollo answers it.
 */
export class PreparedEmits {
  readonly #byText = new BoundedMap<string, PreparedEmit>(DOCUMENTS_MAX);

  /** @param formatError as Apollo's option */
  constructor(private readonly formatError: (error: GraphQLError) => GraphQLFormattedError) {}

  /** Remembers the document of a request that was allowed to run, if it is the usual one. */
  note(text: unknown, operation: KnownOperation | null): void {
    if (typeof text !== 'string' || operation === null || this.#byText.has(text)) {
      return;
    }
    const prepared = PreparedEmit.of(operation);
    if (prepared !== null) {
      this.#byText.set(text, prepared);
    }
  }

  /** @returns null: Apollo answers the request */
  async answer(request: GraphqlRequest, context: Context): Promise<HTTPGraphQLResponse | null> {
    const found = this.#find(request);
    if (found === null || context.caller === null) {
      return null;
    }
    const { prepared, values } = found;
    const { operation } = prepared;
    // First of all, because it finds what is large and does not fit.
    const admission = admissionOf(operation, values, context);
    const input = admission === null ? null : prepared.inputOf(values);
    if (admission === null || admission.refusal !== null || input === null) {
      request.admission = admission; // which the limits and metrics have counted
      return null;
    }
    request.isCounted = true;
    request.operation = operation;
    const response: Response = { http: { headers: new HeaderMap(Object.entries(admission.headers)) } };
    const errors: GraphQLError[] = [];
    let data: object | null = null;
    try {
      data = await prepared.run(input, context);
    } catch (thrown) {
      errors.push(prepared.errorOf(thrown));
      noteErrors(context, errors);
    }
    const singleResult = { data, ...(errors.length > 0 && { errors: errors.map(this.formatError) }) };
    response.body = { kind: 'single', singleResult: singleResult as never };
    await finishAnswer(request, response, context, errors);
    return { ...response.http, body: { kind: 'complete', string: textOf(resultOf(response)) } };
  }

  #find({ method, isStream, body }: GraphqlRequest): { prepared: PreparedEmit; values: Values } | null {
    const { query, variables, operationName, extensions } = (body ?? {}) as Values;
    const prepared = typeof query === 'string' ? this.#byText.get(query) : undefined;
    if (prepared === undefined) {
      return null;
    }
    const name = prepared.operation.definition.name?.value ?? null;
    const isUsual =
      method === 'POST' &&
      !isStream &&
      (extensions ?? null) === null &&
      (operationName ?? name) === name &&
      typeof (variables ?? {}) === 'object' &&
      !Array.isArray(variables);
    return isUsual ? { prepared, values: (variables ?? {}) as Values } : null;
  }
}

/** @returns null when the operation is refused, for which nothing was counted */
function admissionOf(operation: KnownOperation, values: Values, context: Context): Admission | null {
  try {
    return admit(operation, values, context);
  } catch {
    return null; // Apollo's way finds the same, and says it
  }
}

/** Writes the selected fields of an object into an answer, as GraphQL's execution does. */
type Select = (object: never, context: Context) => unknown;

/** Fields of an answer that are in memory, and need neither rights nor promises. The others are left to Apollo. */
const SELECTABLE: Readonly<Record<string, readonly string[]>> = {
  EmitEventPayload: ['event', 'deliveryCount', 'duplicate'],
  Event: ['id', 'databaseId', 'eventType', 'orderingKey', 'createdAt'],
};

const resolver = new EmitResolver();

class PreparedEmit {
  private constructor(
    readonly operation: KnownOperation,
    private readonly node: FieldNode,
    private readonly field: GraphQLField<unknown, unknown>,
    private readonly select: Select,
  ) {}

  /** @returns null unless the operation is `emitEvent` alone, without fragments and directives, of fields in memory */
  static of(operation: KnownOperation): PreparedEmit | null {
    const { document, definition, schema, fixedCost } = operation;
    const [node, ...more] = definition.selectionSet.selections;
    const mutation = schema.getMutationType();
    if (
      node?.kind !== 'Field' ||
      node.name.value !== 'emitEvent' ||
      mutation == null ||
      more.length > 0 ||
      document.definitions.length > 1 ||
      (definition.directives ?? []).length > 0 ||
      fixedCost === null
    ) {
      return null;
    }
    const field = mutation.getFields()['emitEvent']!;
    const select = selectionOf(getNullableType(field.type) as GraphQLObjectType, node);
    return select === null ? null : new PreparedEmit(operation, node, field, select);
  }

  get #name(): string {
    return (this.node.alias ?? this.node.name).value;
  }

  /** @returns null when a value does not fit */
  inputOf(values: Values): EmitEventInput | null {
    const { schema, definition } = this.operation;
    const { coerced } = getVariableValues(schema, definition.variableDefinitions ?? [], values, { maxErrors: 1 });
    try {
      return coerced === undefined
        ? null
        : (getArgumentValues(this.field, this.node, coerced)['input'] as EmitEventInput);
    } catch {
      return null;
    }
  }

  /** @returns the data of the answer. @throws what the resolver throws */
  async run(input: EmitEventInput, context: Context): Promise<object> {
    const payload = await resolver.emitEvent(input, context);
    return objectOf([[this.#name, this.select(payload as never, context)]]);
  }

  /** The error of the answer for what the resolver has thrown. */
  errorOf(thrown: unknown): GraphQLError {
    return locatedError(thrown, [this.node], [this.#name]);
  }
}

/** @returns null when a part of the selection is unusual */
function selectionOf(type: GraphQLObjectType, { selectionSet }: FieldNode): Select | null {
  const members = new Map<string, Select>();
  for (const node of selectionSet?.selections ?? []) {
    const select = memberOf(type, node);
    const name = node.kind === 'Field' ? (node.alias ?? node.name).value : '';
    if (select === null || members.has(name)) {
      return null;
    }
    members.set(name, select);
  }
  const all = [...members];
  return (object, context) => objectOf(all.map(([name, select]) => [name, select(object, context)]));
}

function memberOf(type: GraphQLObjectType, node: SelectionNode): Select | null {
  if (node.kind !== 'Field' || (node.directives ?? []).length > 0) {
    return null;
  }
  const name = node.name.value;
  if (name === '__typename') {
    return () => type.name;
  }
  const field = SELECTABLE[type.name]?.includes(name) ? type.getFields()[name] : undefined;
  if (field === undefined) {
    return null;
  }
  const resolve = field.resolve ?? ((object: unknown) => (object as Values)[name]);
  const inner = getNullableType(field.type);
  if (isObjectType(inner)) {
    const select = selectionOf(inner, node);
    return select && ((object, context) => select(resolve(object, {}, context, undefined as never) as never, context));
  }
  return isLeafType(inner)
    ? (object, context) => {
        const value = resolve(object, {}, context, undefined as never);
        return value === null || value === undefined ? null : inner.serialize(value);
      }
    : null;
}

/** Without a prototype, because `__proto__` is the name of a field where a client says so. */
function objectOf(members: readonly (readonly [string, unknown])[]): object {
  const object = Object.create(null) as Values;
  for (const [name, value] of members) {
    object[name] = value;
  }
  return object;
}
