import { Chance } from '../test/seed/chance.js';
import type { Preview } from './client.js';

/** Contents of webhooks that cost as much of a daemon's time as the limits allow, and the payloads that they are about. */

export const DEAR_EVENT_TYPE = 'bench.dear';

const LIST = 'articles';
const TEXT = 'note';
/** Fields of an item in the schema; payloads have the first one alone. */
const FIELDS = 64;
/** JavaScript would write it as 1.5, so the payload has to be parsed exactly. */
const ITEM = '{"x0":1.50}';

export const dearEventType = {
  name: DEAR_EVENT_TYPE,
  description: 'A list of small objects and a long text.',
  schema: {
    type: 'object',
    properties: {
      [TEXT]: { type: 'string' },
      [LIST]: {
        type: 'array',
        items: {
          type: 'object',
          properties: Object.fromEntries(Array.from({ length: FIELDS }, (_, n) => [`x${n}`, { type: 'number' }])),
        },
      },
    },
  },
};

/** So that a content which looks at all items twice is allowed. */
const ITEMS_MAX = 5_000;

/** The JSON of a payload of this length: at most half of it is a list, the rest a text. */
export function dearPayload(bytes: number): string {
  const length = Math.min(ITEMS_MAX, Math.floor(bytes / 2 / (ITEM.length + 1)));
  const items = new Array(length).fill(ITEM).join();
  const begun = `{"${LIST}":[${items}],"${TEXT}":"`;
  const words = 'so *dear* @everyone; '.repeat(bytes);
  return `${begun}${words.slice(0, bytes - begun.length - 2)}"}`;
}

/** Content as `createWebhook` takes it. */
type ContentInput = Readonly<Record<string, unknown>>;

/** A content that costs more the greater its size is. */
interface DearContent {
  name: string;
  /** The size is divided by the number of webhooks that have it: they share one limit. */
  isShared: boolean;
  ofSize(size: number): ContentInput;
}

/** Stands in the texts of messages, which are replaced by shorter ones where they need too much. */
const CHAT_MARK = 'Dear all';

export const CONTENTS = 12;

/** Draws twelve contents: one of each kind, and another template. One of them is for Slack. */
export function drawContents(seed: number): DearContent[] {
  const chance = new Chance(seed);
  const teams = chance.pick(['TEAMS', 'TEAMS_CARD']);
  const contents = [
    templateOf('template-fields', fieldPaths(chance), chance.pick([true, false])),
    templateOf('template-payloads', () => '@payload', false),
    templateOf('template-spellings', spellings(chance.pick([LIST, TEXT])), false),
    templateOf('template-shaped', fieldPaths(chance), chance.pick([true, false]), shapeOf(1)),
    templateOf('template-drawn', chance.pick([fieldPaths(chance), spellings(TEXT)]), false),
    dear('shape', (size) => ({ format: 'JSON', shape: shapeOf(size) })),
    ...['SLACK', teams, 'DISCORD'].map((format) => messageOf(format, chance)),
    ...['BINARY', 'STRUCTURED'].map((mode) => cloudEventOf(`CLOUDEVENTS_${mode}`, chance.pick([true, false]))),
    filterOf(chance),
  ];
  // Which of them has a webhook more than the others is drawn too.
  return contents
    .map((one) => ({ one, at: chance.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}

const dear = (name: string, ofSize: DearContent['ofSize'], isShared = false): DearContent => ({
  name,
  isShared,
  ofSize,
});

/** The path of each placeholder, by its number. */
type Paths = (n: number) => string;

/** One field of all items each: most items lack it. */
function fieldPaths(chance: Chance): Paths {
  const first = chance.whole(0, 9);
  return (n) => `${LIST}.x${n + first}`;
}

/** One field in many spellings, of which each is a path of its own. */
const spellings =
  (name: string): Paths =>
  (n) => {
    const letters = [...name].map((letter, at) => ((n >> at) & 1 ? escaped(letter) : letter));
    return `"${letters.join('')}"`;
  };

const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;

const placeholders = (paths: Paths, size: number): string[] =>
  Array.from({ length: size }, (_, n) => `{{${paths(n)}}}`);

/** @param isInText each value stands within a text, rather than alone */
function templateOf(name: string, paths: Paths, isInText: boolean, shape: string | null = null): DearContent {
  return dear(name, (size) => {
    const template = placeholders(paths, size).map((one) => (isInText ? `${one}.` : one));
    return { format: 'TEMPLATE', template, ...(shape === null ? {} : { shape }) };
  });
}

/** Fields of all items; each twice, the second time by another name. */
function shapeOf(size: number): string {
  const fields = Array.from({ length: size }, (_, n) => (n < FIELDS ? `x${n}` : `y${n - FIELDS}: x${n - FIELDS}`));
  return `subscription { event { ... on BenchDear { ${TEXT} ${LIST} { ${fields.join(' ')} } } } }`;
}

function messageOf(format: string, chance: Chance): DearContent {
  const paths = chance.pick([fieldPaths(chance), spellings(LIST), spellings(TEXT)]);
  return dear(format.toLowerCase(), (size) => ({
    format,
    text: `${CHAT_MARK}: ${placeholders(paths, size).join('')}`,
  }));
}

function cloudEventOf(format: string, isShaped: boolean): DearContent {
  return dear(format.toLowerCase().replace('_', '-'), (size) => ({
    format,
    ...(isShaped ? { shape: shapeOf(size) } : {}),
  }));
}

const LISTED = 50;

/** Compares each item with so many values, and is met at the end. */
function filterOf(chance: Chance): DearContent {
  const first = chance.whole(1_000, 2_000);
  return dear(
    'filter',
    (size) => {
      const lists = Array.from({ length: Math.ceil(size / LISTED) }, (_, list) => {
        const length = Math.min(LISTED, size - list * LISTED);
        const value = Array.from({ length }, (_, n) => first + list * LISTED + n);
        return { field: { path: `${LIST}.x0`, op: 'IN', value } };
      });
      return { filter: { any: [...lists, { field: { path: TEXT, op: 'EXISTS' } }] } };
    },
    true,
  );
}

/** An event passes a filter that costs too much, so a filter is negated: only one that is asked keeps the event out. */
export const probeOf = (content: ContentInput): ContentInput =>
  content['filter'] === undefined ? content : { filter: { not: content['filter'] } };

/** Whether the limits allow a content: all of it is made, and its filter is asked. @param preview of its probe */
export function isWhole(content: ContentInput, { refusal, matches, body }: Preview): boolean {
  if (content['filter'] !== undefined) {
    return refusal === null && !matches;
  }
  return body !== null && (content['text'] === undefined || body.includes(CHAT_MARK));
}

/** Sizes end here. Most contents reach a limit of their form before. */
const SIZE_MAX = 2_048;

/**
 * The greatest size that is accepted, or one that is less by a tenth at most.
 *
 * @returns 0 where not even 1 is accepted
 */
export async function greatestSize(isAccepted: (size: number) => Promise<boolean>): Promise<number> {
  let refused = SIZE_MAX + 1;
  let accepted = 0;
  for (let size = SIZE_MAX; size >= 1 && accepted === 0; size = Math.floor(size / 2)) {
    if (await isAccepted(size)) {
      accepted = size;
    } else {
      refused = size;
    }
  }
  while (accepted > 0 && refused - accepted > Math.max(1, accepted / 10)) {
    const size = Math.floor((accepted + refused) / 2);
    if (await isAccepted(size)) {
      accepted = size;
    } else {
      refused = size;
    }
  }
  return accepted;
}
