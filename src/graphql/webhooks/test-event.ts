import type { Context } from '../../context/context.js';
import { TEST_EVENT_TYPE } from '../../domain/events/event-type.js';
import { invalidInput, requireNoIssues } from '../../errors.js';
import type { RegisteredEventType } from '../../operations/event-types/event-type-registry.js';
import { payloadText } from '../emits/payload-text.js';
import { given } from '../fields/input.js';
import { knownTypeIn } from '../fields/known-event-type.js';
import type { TestWebhookInput } from './webhook-types.js';

const TYPE = ['input', 'eventType'];
const PAYLOAD = ['input', 'payload'];
const TEST_BODY = JSON.stringify({ message: 'A test of this webhook.' });

/**
 * What a test sends. A deprecated type may be tested: past events of it can still be replayed. The payload of a
 * reserved type is always the service's own, as only the service emits events of it.
 *
 * @throws ApiError invalid_input for an unknown type, a payload that breaks the schema of its type, a type without a
 *   sample; payload_too_large
 */
export async function testEventOf(
  context: Context,
  input: TestWebhookInput,
): Promise<{ eventType: string; body: string }> {
  const eventType = (await knownTypeIn(context, input.eventType, TYPE)) ?? TEST_EVENT_TYPE;
  const type = (await context.eventTypes.all()).find(({ name }) => name === eventType);
  const payload = given(input.payload);
  if (payload === undefined) {
    return { eventType, body: eventType === TEST_EVENT_TYPE ? TEST_BODY : sampleOf(type, eventType) };
  }
  if (type?.reserved) {
    const detail = `cannot be chosen for ${eventType}: only the service itself writes payloads of this type; leave it out, or name another eventType`;
    throw invalidInput([{ path: PAYLOAD, code: 'event_type_reserved', detail }]);
  }
  const body = payloadText(context, payload, PAYLOAD);
  const issues = await context.eventTypes.brokenRules(eventType, payload);
  requireNoIssues(issues.map((issue) => ({ ...issue, path: ['input', ...issue.path] })));
  return { eventType, body };
}

function sampleOf(type: RegisteredEventType | undefined, eventType: string): string {
  const sample = type?.samplePayload ?? null;
  if (sample === null) {
    const detail = `is required: ${eventType} has no samplePayload, since none was found that its schema accepts`;
    throw invalidInput([{ path: PAYLOAD, code: 'no_sample_payload', detail }]);
  }
  return sample;
}
