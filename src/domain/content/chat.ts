import { isOperational, topicOf } from '../events/operational-events.js';
import { type Facts, mailTexts } from '../notices/mail-texts.js';
import { parseTimestamp } from '../text/timestamp.js';
import { CHAT_MARKS, type ChatMarks } from './chat-marks.js';
import { cut } from './cut.js';
import { isObject } from './exact-json.js';
import { type Chat, TEXT_CHARS_MAX } from './formats.js';
import { type EventValues, type PlannedText, textOf, ValuePlan } from './values.js';
import { TooLarge, type Work } from './work.js';

/** Messages to chats: Slack, Microsoft Teams, Discord, Google Chat. */

/** The limit of a whole message. Discord and Google Chat refuse longer ones; a Teams message has at most 28 KB. */
const CHARS_MAX: Readonly<Record<Chat, number>> = {
  SLACK: 4_000,
  TEAMS: 4_000,
  TEAMS_CARD: 4_000,
  DISCORD: 2_000,
  GOOGLE_CHAT: 4_000,
};

/** More than a message has, also when all of the text around placeholders is blank. */
const FILLED_CHARS_MAX = TEXT_CHARS_MAX + Math.max(...Object.values(CHARS_MAX));
const VALUE_CHARS_MAX = 1_000;

/** The messages of a webhook to a chat, planned. */
export class ChatPlan {
  readonly #values = new ValuePlan();
  readonly #text: PlannedText;
  readonly #marks: ChatMarks;
  /** By the parts of the text: the link in whose address a placeholder is, as far as it is written. Null: in none. */
  readonly #links: readonly (string | null)[];

  /** @param text with placeholders; null: the service writes it */
  constructor(
    private readonly chat: Chat,
    text: string | null,
  ) {
    this.#text = text === null ? [] : this.#values.text(text);
    this.#marks = CHAT_MARKS[chat];
    let before = '';
    this.#links = this.#text.map((part) => {
      before += typeof part === 'string' ? part : ''; // values begin no links
      return typeof part === 'number' ? (this.#marks.linkBegun.exec(before)?.[0] ?? null) : null;
    });
  }

  get places(): number {
    return this.#values.places;
  }

  /**
   * The message about an event, which has JSON's types.
   *
   * @param isWhole whether the payload is that of the event, and not the result of a shape
   */
  message(event: EventValues, isWhole: boolean, work: Work): unknown {
    const filled = this.#fill(event, work);
    const written = filled.trim() === '' ? defaultText(event, this.#marks, isWhole) : filled;
    return messageOf[this.chat](cutMarked(written, CHARS_MAX[this.chat]));
  }

  /** Empty where the text needs too much of the payload. What follows the longest message is left out. */
  #fill(event: EventValues, work: Work): string {
    try {
      const values = this.#values.read(event, work);
      const written = new Map<string, string>();
      let text = '';
      for (const [index, part] of this.#text.entries()) {
        const link = this.#links[index]!;
        const key = `${part} ${link}`;
        if (typeof part === 'number' && !written.has(key)) {
          const value = cut(values.beginOfText(part, VALUE_CHARS_MAX), VALUE_CHARS_MAX);
          work.take(value.length);
          written.set(key, link === null ? this.#marks.escape(value) : this.#marks.escapeInAddress(value, link));
        }
        text += typeof part === 'string' ? part : written.get(key)!;
        if (text.length > FILLED_CHARS_MAX) {
          break;
        }
      }
      return text;
    } catch (error) {
      if (error instanceof TooLarge) {
        return '';
      }
      throw error;
    }
  }
}

const messageOf: Readonly<Record<Chat, (text: string) => unknown>> = {
  SLACK: (text) => ({ text }),
  GOOGLE_CHAT: (text) => ({ text }),
  DISCORD: (content) => ({ content, allowed_mentions: { parse: [] } }),
  TEAMS: (text) => ({
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: cardOf(text) }],
  }),
  TEAMS_CARD: cardOf,
};

/** Cards break lines only between blocks. */
function cardOf(text: string): unknown {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: lines.map((line, index) => ({
      type: 'TextBlock',
      text: line,
      wrap: true,
      ...(index === 0 ? {} : { spacing: 'Small' }),
    })),
  };
}

/** An escape that was cut in two shows its sign. */
const cutMarked = (text: string, charsMax: number): string => cut(text, charsMax).replace(/(?:&[a-z]{0,4}|\\)…$/, '…');

function defaultText(event: EventValues, marks: ChatMarks, isWhole: boolean): string {
  const notice = isWhole && isOperational(event.type) ? noticeText(event, marks) : null;
  return notice ?? [marks.bold(titleOf(event.type, marks)), ...fieldLines(event.payload, marks)].join('\n');
}

/** `booking.created` is "Booking created". */
const titleOf = (type: string, marks: ChatMarks): string => {
  const words = type.replaceAll(/[._]+/g, ' ');
  return marks.escape(`${words[0]!.toUpperCase()}${words.slice(1)}`);
};

/** The text of a mail about the same (docs/notices.md). */
function noticeText({ type, payload }: EventValues, marks: ChatMarks): string | null {
  const { notices, which } = mailTexts(null);
  const write = notices[topicOf(type)];
  if (write === undefined || !isObject(payload)) {
    return null;
  }
  const facts: Facts = Object.fromEntries(
    Object.entries(payload).map(([name, value]) => [
      name,
      marks.escape(cut(textOf(value, VALUE_CHARS_MAX), VALUE_CHARS_MAX)),
    ]),
  );
  const { webhook_id: number = '', origin = '', name } = facts;
  const { subject, text } = write(name || origin, facts, minuteOf);
  return [marks.bold(subject), text, which(number, origin)].join('\n');
}

function minuteOf(fact: string | undefined): string {
  const time = parseTimestamp(fact ?? '');
  return time === null ? (fact ?? '') : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

const FIELDS_SHOWN_MAX = 5;
const FIELD_CHARS_MAX = 200;

function fieldLines(payload: unknown, marks: ChatMarks): string[] {
  const lines: string[] = [];
  for (const [name, text] of fieldsOf(payload, '')) {
    if (lines.length === FIELDS_SHOWN_MAX) {
      break;
    }
    lines.push(`${marks.escape(cut(name, FIELD_CHARS_MAX))}: ${marks.escape(cut(text, FIELD_CHARS_MAX))}`);
  }
  return lines;
}

const FIELD_DEPTH_MAX = 3;

/** Fields that have a value, in the payload's order, those of objects among them. Long texts are shortened. */
function* fieldsOf(value: unknown, name: string, depth = 0): Generator<[name: string, text: string]> {
  if (isObject(value) && depth < FIELD_DEPTH_MAX) {
    for (const inner of Object.keys(value)) {
      yield* fieldsOf(value[inner], name === '' ? inner : `${name}.${inner}`, depth + 1);
    }
    return;
  }
  const text = textOf(value, FIELD_CHARS_MAX);
  if (text !== '') {
    yield [name === '' ? 'payload' : name, text];
  }
}
