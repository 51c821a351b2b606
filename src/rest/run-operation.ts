import { execute, type GraphQLSchema, Kind, parse, validate } from 'graphql';
import type { Context } from '../context/context.js';
import { guardedFields } from '../graphql/execution/guarded-fields.js';
import { causeOf } from '../graphql/fields/errors.js';

/** A GraphQL document that is ready to run. */
export interface Operation<Variables, Data> {
  (context: Context, variables: Variables): Promise<Data>;
  /**
   * Checks that the caller may run the operation, before the request's body is read.
   *
   * @throws ApiError scope_missing, tenant_required
   */
  authorise(context: Context): void;
}

/**
 * Checks a document against the schema once, so that a renamed field stops the start and not a customer's request.
 *
 * The operation runs in process with the same resolvers, authorisation and validation as `/graphql`. It rejects with
 * what a resolver threw, usually an ApiError.
 *
 * @throws Error for a document that does not fit the schema
 */
export function prepareOperation<Variables extends Record<string, unknown>, Data>(
  schema: GraphQLSchema,
  source: string,
): Operation<Variables, Data> {
  const document = parse(source, { noLocation: true });
  const [invalid] = validate(schema, document);
  if (invalid !== undefined) {
    throw new Error(`A REST route's document does not fit the schema: ${invalid.message}\n${source}`);
  }
  const guarded = document.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .flatMap((operation) => guardedFields(schema, document, operation).fields);
  const run = async (contextValue: Context, variableValues: Variables): Promise<Data> => {
    const result = await execute({ schema, document, contextValue, variableValues });
    const [error] = result.errors ?? [];
    if (error !== undefined) {
      throw causeOf(error);
    }
    return result.data as Data;
  };
  const authorise = (context: Context) => {
    for (const { requirement } of guarded) {
      requirement(context);
    }
  };
  return Object.assign(run, { authorise });
}
