import { ERASE, type TenantScope } from '../../domain/keys/scopes.js';
import { type HeaderName, headersNamed, usualHeaders } from './openapi-headers.js';
import { onRoutesWithBody, problems } from './openapi-problems.js';

type Json = Record<string, unknown>;

/** Parts of the paths of the OpenAPI document, and the operations beside the contract's. */

export function operation(operationId: string, summary: string, scope: TenantScope, rest: Json): Json {
  return { operationId, summary, description: `Needs the scope \`${scope}\`.`, tags: ['Webhooks'], ...rest };
}

const ref = (schema: string): Json => ({ $ref: `#/components/schemas/${schema}` });

export function body(schema: string, ...types: string[]): Json {
  const content = types.map((type) => [type, { schema: ref(schema) }]);
  return { required: true, content: Object.fromEntries(content) };
}

export function answer(description: string, schema: string, ...more: HeaderName[]): Json {
  return {
    description,
    headers: headersNamed(...more, ...usualHeaders),
    content: { 'application/json': { schema: ref(schema) } },
  };
}

/** The limits of a tenant. */
export const limits = (): Json =>
  operation('getLimits', 'Read what the operator allows the tenant', 'webhooks:read', {
    tags: ['Limits'],
    responses: { 200: answer('The limits. null is the value of the installation.', 'LimitsResult'), ...problems() },
  });

/** The proof of an endpoint. */
export const verification = (): Json => ({
  get: operation('getVerification', 'Read whether the endpoint has proved itself', 'webhooks:read', {
    responses: { 200: answer('The proof of the endpoint.', 'VerificationResult'), ...problems() },
  }),
  post: operation('verifyWebhook', 'Ask the endpoint to prove itself', 'webhooks:write', {
    description:
      'Needs the scope `webhooks:write`. The endpoint of an unverified webhook is asked at once, as `ENDPOINT_CHALLENGE=required` has it: by `OPTIONS`, and by a signed `webhook.challenge`. Nothing is asked of a verified one.',
    responses: { 202: answer('The proof so far.', 'VerificationResult'), ...problems() },
  }),
});

/** The erasure of one event, and of all that meet a filter. */
export const erasures = (tenant: Json): Json => ({
  '/events/{id}/erase': {
    parameters: [{ $ref: '#/components/parameters/EventId' }, tenant],
    post: operation('eraseEvent', 'Erase an event', ERASE, {
      tags: ['Erasure'],
      description: `Needs the scope \`${ERASE}\`. Erases for good the payload of the event, the answers to its deliveries, its ordering key and its idempotency key. Open deliveries are canceled. Nothing happens to one that is erased already.`,
      requestBody: body('Erasure', 'application/json'),
      responses: {
        200: answer('The event without its payload.', 'ErasedEventResult'),
        ...problems(...onRoutesWithBody, 'older_daemons'),
      },
    }),
  },
  '/events/erase': {
    parameters: [tenant],
    post: operation('eraseEvents', 'Erase all events that meet a filter', ERASE, {
      tags: ['Erasure'],
      description: `Needs the scope \`${ERASE}\`. A dry run comes first: its total confirms the erasure, which is a bulk operation. One of many events begins ten minutes later, and can be canceled until then.`,
      requestBody: body('BulkErasure', 'application/json'),
      responses: {
        200: answer('The started erasure, or the result of a dry run.', 'BulkErasureStartedResult'),
        ...problems(...onRoutesWithBody, 'older_daemons', 'bulk_operation_limit_reached', 'search_timed_out'),
      },
    }),
  },
});
