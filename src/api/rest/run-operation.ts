import type { FastifyRequest } from 'fastify';
import {
  execute,
  type GraphQLField,
  type GraphQLSchema,
  getOperationAST,
  parse,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { ApiError, type InputIssue, type Path, type Reason } from '../../errors.js';
import type { Context } from '../context/context.js';
import { causeOf } from '../graphql/fields/errors.js';
import { OF_A_ROW } from '../graphql/fields/of-a-row.js';
import { requirementOf } from '../graphql/fields/requires.js';
import { contextOf } from '../http/request-context.js';
import { namesInRest, restPlace } from './field-forms.js';
import { REST_PREFIX } from './paths.js';

/** A GraphQL document that is ready to run. */
interface Operation<Variables, Data> {
  (request: FastifyRequest, variables: Variables): Promise<Data>;
  /**
   * A hook that comes before the body is read: a caller without the right learns nothing about the body.
   *
   * @throws ApiError scope_missing, tenant_required
   */
  authorise(request: FastifyRequest): Promise<void>;
}

/**
 * Checks a document against the schema once, so that a renamed field stops the start and not a customer's request.
 *
 * The operation runs in process with the same resolvers, authorisation and validation as `/graphql`. It rejects with
 * what a resolver threw, usually an ApiError, in the words of REST.
 *
 * @param placeOf the path of an input's field in the body
 * @throws Error for a document that does not fit the schema
 */
export function prepareOperation<Variables extends Record<string, unknown>, Data>(
  schema: GraphQLSchema,
  source: string,
  placeOf = restPlace,
): Operation<Variables, Data> {
  const document = parse(source, { noLocation: true });
  const [invalid] = validate(schema, document);
  if (invalid !== undefined) {
    throw new Error(`A REST route's document does not fit the schema: ${invalid.message}\n${source}`);
  }
  const fields: GraphQLField<unknown, unknown>[] = [];
  const types = new TypeInfo(schema);
  visit(document, visitWithTypeInfo(types, { Field: () => void fields.push(types.getFieldDef()!) }));
  const requirements = fields.map(requirementOf).filter((requirement) => requirement !== undefined);
  const isQuery = getOperationAST(document)?.operation === 'query';
  const readsOfRows = isQuery && fields.some((field) => field.extensions[OF_A_ROW] === true);
  const run = async (request: FastifyRequest, variableValues: Variables): Promise<Data> => {
    const executed = async (contextValue: Context) => execute({ schema, document, contextValue, variableValues });
    const result = await contextOf(request).atOneMoment(readsOfRows, executed);
    const [error] = result.errors ?? [];
    if (error !== undefined) {
      throw inRestTerms(causeOf(error), (path) => placeOf(path, variableValues['input']));
    }
    return result.data as Data;
  };
  const authorise = async (request: FastifyRequest) => {
    for (const requirement of requirements) {
      requirement(contextOf(request));
    }
  };
  return Object.assign(run, { authorise });
}

const TEST_OF_INACTIVE =
  'An inactive webhook cannot be tested. To test it before its held deliveries are sent, use GraphQL at /graphql: ' +
  'enable it with updateWebhook(input: {active: true, held: KEEP}), send the test, and then send the held deliveries ' +
  'with releaseHeld.';

const NOT_MATCHED =
  'The ETag of the webhook is not in If-Match. Read it again and decide again. A weak tag (W/"…") never matches.';

const UNVERIFIED =
  'The endpoint of the webhook has not proved yet that it wants deliveries. ' +
  `POST ${REST_PREFIX}/webhooks/{id}/verify asks it now; the webhook is enabled by the proof.`;

const detailsInRest: Partial<Record<Reason, string>> = {
  webhook_inactive: TEST_OF_INACTIVE,
  webhook_unverified: UNVERIFIED,
  precondition_failed: NOT_MATCHED,
};

/** Gives the fields in an error of the resolvers their names in REST. */
function inRestTerms(error: unknown, placeOf: (path: Path) => Path): unknown {
  if (!(error instanceof ApiError)) {
    return error;
  }
  const { issues } = error.extra;
  return new ApiError(error.reason, detailsInRest[error.reason] ?? namesInRest(error.detail), {
    ...error.extra,
    ...(issues === undefined ? {} : { issues: issues.map((issue) => restIssue(issue, placeOf)) }),
  });
}

function restIssue({ path: [argument, ...rest], ...issue }: InputIssue, placeOf: (path: Path) => Path): InputIssue {
  const steps = argument === 'input' || argument === 'filter' ? rest : [argument!];
  const place = argument === 'input' ? ['body', ...placeOf(steps)] : ['query', ...restPlace(steps)];
  return { ...issue, detail: namesInRest(issue.detail), path: place };
}
