import type { FastifyInstance, FastifyReply } from 'fastify';
import { errorCatalogue, notFound, type Reason } from '../../errors.js';
import { PROBLEMS_PATH } from './paths.js';
import { problemType } from './problem.js';

/** The remedy for each kind of error. */
const advice: Record<Reason, string> = {
  header_repeated: 'Send the named header only once. A proxy that adds it must replace the one of the client.',
  header_malformed: 'Send the header in the form that the detail shows, or leave it out.',
  malformed_json: 'Send one JSON value in UTF-8 as the body, and its length in bytes as Content-Length.',
  unauthenticated:
    'Send an API key in the header "Authorization: Bearer <key>". Unknown, malformed, expired and revoked keys give the same answer.',
  scope_missing: 'Use a key with the scope that the detail names.',
  option_not_allowed:
    'Leave the option out. The operator sets it with a platform key, or allows it in ENDPOINT_OPTIONS.',
  tenant_required:
    'With a platform key, name the tenant in the header "Hookwright-Tenant: <id>", or "Hookwright-Tenant: ext:<external id>".',
  not_found: 'Check the path and the id. A deleted, an unknown and another tenant’s id give the same answer.',
  tenant_elsewhere:
    'Send the request by the address that all cells share, or to the cell that the header Hookwright-Cell names. If it came by that address, tell the operator: its proxy leads to the wrong cell.',
  method_not_allowed: 'Use a method that the header Allow lists.',
  webhook_limit_reached: 'Delete a webhook that you no longer need, or ask the operator for a higher limit.',
  api_key_limit_reached:
    'Revoke an API key that you no longer need, wait until one expires, or ask the operator for a higher limit.',
  event_type_limit_reached: 'Use an existing event type. Types are never deleted.',
  webhook_inactive:
    'Enable the webhook first: PATCH it with {"active": true}, which also sends its held deliveries. To test it before they are sent, enable it over GraphQL with updateWebhook(input: {id: "…", active: true, held: KEEP}), and send them later with releaseHeld.',
  webhook_unverified:
    'Have the endpoint answer the challenge (docs/security.md, "Proof of ownership"), and ask it again: POST /webhooks/{id}/verify, or `verifyWebhook`. The proof itself enables the webhook.',
  webhook_not_failing:
    'Nothing: the webhook is active, or somebody paused it, or its endpoint is gone. `checkWebhook` sends a check in any state.',
  secrets_bound_to_origin:
    'Send the secrets of the webhook again in the request that changes its url, or remove them first: they were given for another origin.',
  older_daemons:
    'Upgrade the daemon that the detail names, and send the request again 15 seconds after it has ended. It would call the endpoint as if the option were not set, or could not sign with the secret.',
  webhook_deleted: 'Create another webhook, and emit or replay events to that one.',
  delivery_not_finished:
    'Wait until the delivery has succeeded, failed or been canceled; or cancel it with `cancelDelivery` and send it again.',
  delivery_held: 'Enable the webhook, which sends its held deliveries; at an active webhook `releaseHeld` sends them.',
  key_not_blocked: 'Read `orderingKeys` of the webhook: somebody may have unblocked the key already.',
  ordering_waits: 'Attempt the delivery that it waits for: `waitsFor` names it.',
  delivery_finished: 'The delivery has succeeded, failed or been canceled. `redeliver` sends it again.',
  scheduled_limit_reached:
    'Schedule the event when some of the tenant’s scheduled events were emitted, or cancel some.',
  scheduled_event_emitted: 'Nothing can be done: `eventId` of the scheduled event names the event that was emitted.',
  event_gone: 'A delivery can be sent again only while its event is kept.',
  event_erased: 'Nothing: the payload was erased for good. Emit the event again if it is needed.',
  bulk_operation_limit_reached: 'Wait until a bulk operation has finished, or cancel one.',
  bulk_operation_finished: 'Nothing: the bulk operation has ended.',
  bulk_operation_not_resumable:
    'Start another bulk operation. Only a failed one, or one that somebody canceled, can be resumed, while its webhook exists.',
  mail_not_configured: 'Ask the operator: without SMTP_URL, MAIL_FROM and PUBLIC_URL the service sends no mails.',
  notice_recipient_limit_reached: 'Delete a recipient of notices that you no longer need.',
  notice_recipient_exists: 'Change the recipient with `updateNoticeRecipient`.',
  notice_recipient_not_confirmed:
    'Follow the link in the mail that was sent to the address, or have another one sent with `askAgain`.',
  rotation_under_way:
    'The secret before the last rotation still signs, or another key pair waits. Wait, or end it now with overlapHours: 0 or inHours: 0.',
  signing_not_available:
    'Ask the operator: a signature by a key pair is in the header webhook-signature, which STANDARD_WEBHOOKS=false leaves out.',
  secret_rotated:
    'The webhook of this idempotency key exists. The secret that it had at first is gone, and the present one was shown when it was made: rotate it again if nobody has it.',
  idempotency_key_reused: 'Use a new idempotency key for each event and each webhook.',
  portal_code_used: 'Open the portal again from the page that has its link: each link works once.',
  portal_code_expired:
    'Open the portal again from the page that has its link: a link works for a minute, a session for at most an hour.',
  precondition_failed:
    'Read it again: its ETag, or `version` in GraphQL, has changed. If your change is still right, send it with the new one.',
  name_taken: 'Choose another name.',
  external_id_taken:
    'The detail names the tenant or webhook that has the external id. Use that one, or choose another external id.',
  payload_too_large: 'Make the request smaller.',
  unsupported_media_type:
    'Send the body as JSON, with the header "Content-Type: application/json". PATCH also takes "application/merge-patch+json".',
  invalid_input:
    '"errors" lists at most 100 broken rules with their paths: first those of the form, such as an unknown property, and once the form is right, those of the values. Change the request before you send it again.',
  search_timed_out: 'Search a shorter time with `since` and `until`, or use fewer conditions.',
  payload_too_deep: 'Ask for `body`, the text of the payload, instead of `payload`.',
  answer_too_large: 'Ask for smaller pages and fewer long texts, and for each text once.',
  rate_limited: 'Wait as many seconds as the header Retry-After says, and send the request again.',
  tenant_moving:
    'Wait a second, as the header Retry-After says, and send the request again: the operator moves the tenant to another cell.',
  unavailable: 'Wait as many seconds as the header Retry-After says, and send the request again.',
  internal: 'Send the request again later. If the error stays, give the operator the value of the header X-Request-Id.',
};

/** Serves the pages that the `type` of each problem points to (RFC 9457 §3.1.1). */
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
