import { createHash } from 'node:crypto';
import { idToDate } from '../ids/delivery-id.js';
import { changedPaths } from './changes.js';
import { ChatPlan } from './chat.js';
import { binaryHeaders, type Origin, STRUCTURED_TYPE, structuredBody } from './cloud-events.js';
import type { Conversion } from './conversion.js';
import { type ContentFormat, isChat } from './formats.js';
import { Payload } from './payload.js';
import { textsAskFormer } from './placeholders.js';
import { type ShapedEvent, type ShapePlan, type StoredShape, shapeAsksFormer, shaped } from './shape/project.js';
import { TemplatePlan } from './template.js';
import type { EventValues } from './values.js';
import { TooLarge, Work } from './work.js';

/**
 * The form that a webhook gives to events. It never changes: another setting is another content, so that all attempts
 * of a delivery send the same bytes (docs/decisions/0057).
 */
export interface Content {
  /** The release whose versions of payloads are sent; null: the newest ones. Those that make a content convert them. */
  release: string | null;
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
  /** The text of the state before the change that it reports; none: it is not known. */
  previous?: string | null;
  /** Makes of the payload one of the release's version. Null, or missing: it is sent in its own. */
  conversion?: Conversion | null;
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

/** An event, and its payload for all contents that are made of it. */
interface ParsedEvent extends Omit<ContentEvent, 'body' | 'previous'> {
  payload: Payload;
}

/** Gives an event its form. @returns as `PlannedContent.of` */
export function contentOf(
  { body, previous = null, ...event }: ContentEvent,
  content: Content,
  rules: ContentRules,
): SentContent | null {
  const plan = new PlannedContent(content);
  return plan.of({ ...event, payload: plan.payload(body, previous) }, rules);
}

const CLOUD_EVENTS: readonly ContentFormat[] = ['CLOUDEVENTS_BINARY', 'CLOUDEVENTS_STRUCTURED'];

/** Whether a content is made with the state before the change. `asksFormerSql` reads it for these. */
const asksFormer = ({ shape, format, text, template }: Content): boolean =>
  CLOUD_EVENTS.includes(format) || (shape !== null && shapeAsksFormer(shape)) || textsAskFormer([text, template]);

const BYTES_PER_CHAR = 4;
const BYTES_PER_PLACE = 250;

/** A content whose texts were read once, for all events that get its form. */
export class PlannedContent {
  /** Contents of the same form have the same. */
  readonly digest: string;
  /** About as much memory as it takes. */
  readonly bytes: number;
  /** It is no part of the form: events of other versions have the same. */
  readonly release: string | null;
  /** Whether it is made with the state before the change. */
  readonly asksFormer: boolean;
  readonly #template: TemplatePlan | null;
  readonly #chat: ChatPlan | null;

  constructor(private readonly content: Content) {
    const { release, format, text, template, shape } = content;
    this.release = release;
    this.asksFormer = asksFormer(content);
    this.#template = format === 'TEMPLATE' ? new TemplatePlan(template) : null;
    this.#chat = isChat(format) ? new ChatPlan(format, text) : null;
    const written = JSON.stringify([format, text, template, shape]);
    const places = (this.#template ?? this.#chat)?.places ?? 0;
    this.digest = createHash('sha256').update(written).digest('base64');
    this.bytes = written.length * BYTES_PER_CHAR + places * BYTES_PER_PLACE;
  }

  /**
   * The payload that it is made of. A state that it does not ask for must not count among its work: sometimes it is
   * known, and sometimes not.
   */
  payload(body: string, previous: string | null): Payload {
    return new Payload(body, this.asksFormer ? previous : null);
  }

  /** @returns null when it is larger than a payload may be, or more is looked at for it than `Work` allows */
  of(event: ParsedEvent, rules: ContentRules): SentContent | null {
    try {
      const { payload: emitted, conversion } = event;
      const payload = conversion ? emitted.in(conversion, rules.payloadBytesMax) : emitted;
      return this.#make(
        { ...event, payload },
        rules,
        new Work(payload.body.length + (payload.former?.body.length ?? 0)),
      );
    } catch (error) {
      if (error instanceof TooLarge) {
        return null;
      }
      throw error;
    }
  }

  #make(event: ParsedEvent, rules: ContentRules, work: Work): SentContent {
    const { id, tenantId, type, payload } = event;
    const { shape, format } = this.content;
    const { payloadBytesMax } = rules;
    const about = { id, type, time: idToDate(id).toISOString() };
    const shapable = {
      ...about,
      payload: payload.rounded,
      get previous() {
        return payload.former?.rounded ?? null;
      },
      get changes() {
        return payload.changes;
      },
    };
    const result = shape === null ? null : shapeOf(shape, shapable, work, payloadBytesMax);
    const body = result === null ? payload.body : fitting(JSON.stringify(result), payloadBytesMax);
    const origin = { ...rules, tenantId, isWhole: shape === null };
    const values = (): EventValues => ({
      ...about,
      payload: result ?? payload.exact,
      previous: () => payload.former?.exact ?? null,
      changed: () => payload.changes && changedPaths(payload.changes),
    });
    switch (format) {
      case 'JSON':
        return { body, headers: {} };
      case 'CLOUDEVENTS_BINARY':
        return { body, headers: binaryHeaders(about, origin, payload.changes) };
      case 'CLOUDEVENTS_STRUCTURED':
        return {
          body: structuredBody(about, origin, body, payload.changes),
          headers: { 'content-type': STRUCTURED_TYPE },
        };
      case 'TEMPLATE':
        return { body: fitting(this.#template!.fill(values(), work, payloadBytesMax), payloadBytesMax), headers: {} };
      default:
        return { body: JSON.stringify(this.#chat!.message(values(), origin.isWhole, work)), headers: {} };
    }
  }
}

/** @throws TooLarge */
function shapeOf(plan: ShapePlan, event: ShapedEvent, work: Work, charsMax: number): Record<string, unknown> {
  const result = shaped(plan, event, work, charsMax);
  if (result === null) {
    throw new TooLarge();
  }
  return result;
}

/** @throws TooLarge */
function fitting(body: string, bytesMax: number): string {
  if (Buffer.byteLength(body) > bytesMax) {
    throw new TooLarge();
  }
  return body;
}

export interface ContentSettings {
  release?: string | null;
  shape: StoredShape | null;
  format: string | null;
  text: string | null;
  template: unknown;
}

/** The content that settings make, without those that the format does not use; null: the plain payload. */
export function contentFrom({ release = null, shape, format, text, template }: ContentSettings): Content | null {
  return release === null && shape === null && (format === null || format === 'JSON')
    ? null
    : {
        release,
        shape: shape?.plan ?? null,
        format: (format ?? 'JSON') as ContentFormat,
        text: isChat(format) ? text : null,
        template: format === 'TEMPLATE' ? template : null,
      };
}
