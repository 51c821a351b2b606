import { execute, type GraphQLSchema, parse, validate } from 'graphql';
import type { Context } from '../context.js';
import { causeOf } from '../graphql/errors.js';

/** A GraphQL document that is ready to run. */
export type Operation<Variables, Data> = (context: Context, variables: Variables) => Promise<Data>;

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
  return async (contextValue, variableValues) => {
    // Not through Apollo: it would replace our errors by its own, and with them the way back to a status.
    const result = await execute({ schema, document, contextValue, variableValues });
    const [error] = result.errors ?? [];
    if (error !== undefined) {
      throw causeOf(error);
    }
    return result.data as Data;
  };
}
