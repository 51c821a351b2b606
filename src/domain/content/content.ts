import { idToDate } from '../ids/delivery-id.js';
import { chatMessage } from './chat.js';
import { binaryHeaders, type Origin, STRUCTURED_TYPE, structuredBody } from './cloud-events.js';
import { parseExact } from './exact-json.js';
import { type ContentFormat, isChat } from './formats.js';
import { TooLarge, Values } from './placeholders.js';
import { type ShapePlan, type StoredShape, shaped } from './shape/project.js';
import { fillTemplate } from './template.js';

/**
 * The form that a webhook gives to events. It never changes: another setting is another content, so that all attempts
 * of a delivery send the same bytes (docs/decisions/0057).
 */
export interface Content {
  /** The plan of its shape; null: the payload stays whole. */
  shape: ShapePlan | null;
  format: ContentFormat;
  /** The text of messages to a chat; null: the service writes it. */
  text: string | null;
  /** The tree of TEMPLATE; null with another format. */
  template: unknown;
}

export interface ContentEvent {
  id: number;
  tenantId: number;
  type: string;
  /** The text of its payload. */
  body: string;
}

/** The operator's settings. */
export interface ContentRules extends Pick<Origin, 'cloudEventsSource' | 'publicUrl'> {
  payloadBytesMax: number;
}

/** The body of a request, and headers that belong to it. */
export interface SentContent {
  body: string;
  /** Headers besides those of every delivery, or instead of them. */
  headers: Readonly<Record<string, string>>;
}

/** Gives an event its form. @returns null when it would be larger than a payload may be */
export function contentOf(event: ContentEvent, content: Content, rules: ContentRules): SentContent | null {
  const { shape, format, text, template } = content;
  const about = { id: event.id, type: event.type, time: idToDate(event.id).toISOString() };
  const body = shape === null ? event.body : shapedBody(shape, { ...about, body: event.body }, rules.payloadBytesMax);
  if (body === null) {
    return null;
  }
  const origin = { ...rules, tenantId: event.tenantId, isWhole: shape === null };
  const values = () => ({ ...about, payload: parseExact(body) });
  switch (format) {
    case 'JSON':
      return { body, headers: {} };
    case 'CLOUDEVENTS_BINARY':
      return { body, headers: binaryHeaders(about, origin) };
    case 'CLOUDEVENTS_STRUCTURED':
      return { body: structuredBody(about, origin, body), headers: { 'content-type': STRUCTURED_TYPE } };
    case 'TEMPLATE':
      return filled(template, new Values(values()), rules.payloadBytesMax);
    default:
      return { body: JSON.stringify(chatMessage(format, text, values(), origin.isWhole)), headers: {} };
  }
}

function shapedBody(
  plan: ShapePlan,
  { body, ...event }: { id: number; type: string; time: string; body: string },
  bytesMax: number,
): string | null {
  const result = shaped(plan, { ...event, payload: JSON.parse(body) }, bytesMax);
  const text = result === null ? null : JSON.stringify(result);
  return text !== null && Buffer.byteLength(text) <= bytesMax ? text : null;
}

function filled(template: unknown, values: Values, bytesMax: number): SentContent | null {
  try {
    const body = JSON.stringify(fillTemplate(template, values, bytesMax));
    return Buffer.byteLength(body) <= bytesMax ? { body, headers: {} } : null;
  } catch (error) {
    if (error instanceof TooLarge) {
      return null;
    }
    throw error;
  }
}

export interface ContentSettings {
  shape: StoredShape | null;
  format: string | null;
  text: string | null;
  template: unknown;
}

/** The content that settings make, without those that the format does not use; null: the plain payload. */
export function contentFrom({ shape, format, text, template }: ContentSettings): Content | null {
  return shape === null && (format === null || format === 'JSON')
    ? null
    : {
        shape: shape?.plan ?? null,
        format: (format ?? 'JSON') as ContentFormat,
        text: isChat(format) ? text : null,
        template: format === 'TEMPLATE' ? template : null,
      };
}
