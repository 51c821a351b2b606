import type { Emit } from '../../../domain/events/emit.js';
import { TEST_EVENT_TYPE } from '../../../domain/events/event-type.js';
import { invalidInput, requireNoIssues } from '../../../errors.js';
import type { Context } from '../../context/context.js';
import { payloadText } from '../emits/payload-text.js';
import { knownTypeIn } from '../fields/known-event-type.js';
import type { TestWebhookInput } from './webhook-types.js';

const PAYLOAD = ['input', 'payload'];
const TEST_BODY = JSON.stringify({ message: 'A test of this webhook.' });

/**
 * The event of a test. A deprecated type may be tested, because past events of it can still be replayed. Only the
 * service writes payloads of a reserved type.
 *
 * @throws ApiError invalid_input for an unknown type, a payload that breaks the schema of its type, a type without a
 *   sample; payload_too_large
 */
export async function testEventOf(
  context: Context,
  { eventType: wanted, payload }: TestWebhookInput,
): Promise<Pick<Emit, 'eventType' | 'body' | 'typeVersion'>> {
  const eventType = (await knownTypeIn(context, wanted, ['input', 'eventType'])) ?? TEST_EVENT_TYPE;
  const type = (await context.eventTypes.all()).find(({ name }) => name === eventType);
  const typeVersion = type?.converts ? type.version : null;
  const refuse = (code: string, detail: string) => invalidInput([{ path: PAYLOAD, code, detail }]);
  if (payload === undefined || payload === null) {
    const body = eventType === TEST_EVENT_TYPE ? TEST_BODY : (type?.samplePayload ?? null);
    if (body === null) {
      const detail = `is required: ${eventType} has no samplePayload, since none was found that its schema accepts`;
      throw refuse('no_sample_payload', detail);
    }
    return { eventType, body, typeVersion };
  }
  if (type?.reserved) {
    const detail = `cannot be chosen for ${eventType}: only the service itself writes payloads of this type; leave it out, or name another eventType`;
    throw refuse('event_type_reserved', detail);
  }
  const body = payloadText(context, payload, PAYLOAD);
  const issues = await context.eventTypes.brokenRules(eventType, payload, context.tenantId);
  requireNoIssues(issues.map((issue) => ({ ...issue, path: ['input', ...issue.path] })));
  return { eventType, body, typeVersion };
}
