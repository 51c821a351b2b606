import type { FastifyInstance, FastifyReply } from 'fastify';
import { errorCatalogue, notFound, type Reason } from '../errors.js';
import { PROBLEMS_PATH } from './paths.js';
import { problemType } from './problem.js';

/** What to do about each kind of error. */
const advice: Record<Reason, string> = {
  host_missing: 'Send the header Host, as HTTP/1.1 demands, or let a library of HTTP send the request.',
  header_repeated:
    'Send the header that the detail names once. A proxy in between that adds one must replace that of the client.',
  header_malformed: 'Send the header in the form that the detail shows, or leave it out.',
  malformed_json: 'Send one JSON value in UTF-8 as the body, and its length in bytes as Content-Length.',
  unauthenticated:
    'Send an API key in the header "Authorization: Bearer <key>". A key that is unknown, malformed, expired or revoked gives the same answer.',
  scope_missing: 'Use a key with the scope that the detail names, or have one made.',
  tenant_required: 'A platform key names the tenant that it acts for in the header "Hookwright-Tenant: <id>".',
  not_found:
    'Check the path and the id. What was deleted, what never was and what belongs to another tenant give the same answer.',
  method_not_allowed: 'The header Allow lists the methods that this path knows.',
  webhook_limit_reached: 'Delete a webhook that is not needed any more, or ask the operator for a higher limit.',
  api_key_limit_reached:
    'Revoke an API key that is not needed any more, wait until one expires, or ask the operator for a higher limit.',
  event_type_limit_reached: 'Send such events by a type that there is; types are never deleted.',
  webhook_inactive:
    'Enable the webhook first: PATCH it with {"active": true}, which sends what it holds. To try it before that, enable it over GraphQL: updateWebhook(input: {id: "…", active: true, held: KEEP}); what it holds is sent by releaseHeld.',
  webhook_deleted: 'Nothing: what was deleted stays so. Make another webhook, and emit or replay to that.',
  delivery_not_finished:
    'Wait until the delivery has succeeded, failed or been canceled; or cancel it with `cancelDelivery` and send it again now.',
  delivery_finished:
    'Nothing: what has succeeded, failed or been canceled is not sent any more. `redeliver` sends it again.',
  event_gone: 'Nothing: a delivery can be sent again only while its event is kept.',
  bulk_operation_limit_reached: 'Wait until one has ended, or cancel one.',
  bulk_operation_finished: 'Nothing: it does no more.',
  bulk_operation_not_resumable:
    'Only one that was canceled by somebody, or that failed, can be resumed, and only while its webhook is there; start another one instead.',
  rotation_under_way:
    'The secret before the last rotation still signs. Wait until its time is over, or end it now with overlapHours: 0.',
  idempotency_key_reused: 'Use a new idempotency key for every event; the same key means the same event.',
  portal_code_used: 'Open the portal again from where its link came: each link works once.',
  portal_code_expired:
    'Open the portal again from where its link came: a link works for a minute, and a session for an hour at most.',
  precondition_failed:
    'Read it again: its ETag, or `version` in GraphQL, has changed. Then decide whether the change is still right, and send it for the new one.',
  name_taken: 'Choose another name.',
  payload_too_large: 'Send less in one request.',
  unsupported_media_type: 'Send the body as JSON, with the header "Content-Type: application/json".',
  expectation_unknown: 'Leave the header Expect out, or let it be "100-continue".',
  invalid_input:
    'The member "errors" lists what is wrong with its place, 100 at most: first what is wrong with the form, such as an unknown property, and once the form is right, every rule that the values break. Change the request before sending it again.',
  search_timed_out: 'Search a shorter time, with `since` and `until`, or by fewer conditions.',
  payload_too_deep: 'Ask for the exact text of the payload: `body` in place of `payload`.',
  answer_too_large: 'Ask for smaller pages, for fewer long texts, and for each of them once.',
  rate_limited: 'Wait as many seconds as the header Retry-After says, and send the request again.',
  unavailable: 'Wait as many seconds as the header Retry-After says, and send the request again.',
  internal: 'Send the request again later. If it lasts, tell the operator the value of the header X-Request-Id.',
};

/** Serves what the `type` of every problem points to (RFC 9457 §3.1.1). */
export async function problemPages(app: FastifyInstance): Promise<void> {
  const reasons = new Map((Object.keys(errorCatalogue) as Reason[]).map((reason) => [problemType(reason), reason]));
  const kinds = [...reasons].map(([path, reason]) => `${path}\n  ${titleOf(reason)}\n`).join('');
  app.get(PROBLEMS_PATH, async (_request, reply) => page(reply, `The kinds of errors\n\n${kinds}`));
  app.get<{ Params: { name: string } }>(`${PROBLEMS_PATH}/:name`, async (request, reply) => {
    const reason = reasons.get(`${PROBLEMS_PATH}/${request.params.name}`);
    if (reason === undefined) {
      throw notFound('kind of problem', 'of this name');
    }
    const { status, title } = errorCatalogue[reason];
    return page(reply, `${title}\n\ncode: ${reason}\nstatus: ${status}\n\n${advice[reason]}\n`);
  });
}

const titleOf = (reason: Reason) => `${errorCatalogue[reason].status} ${errorCatalogue[reason].title}`;

function page(reply: FastifyReply, text: string): string {
  reply.type('text/plain; charset=utf-8').header('cache-control', 'public, max-age=3600');
  return text;
}
