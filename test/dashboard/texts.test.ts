import { globSync, readFileSync } from 'node:fs';
import { formatter } from '@lingui/format-po';
import { type CompiledMessage, compileMessage } from '@lingui/message-utils/compileMessage';
import { expect, test } from 'vitest';

const FILE = new URL('../../dashboard/text/catalogues/de.po', import.meta.url);

const DASHBOARD = new URL('../../dashboard/', import.meta.url);

const catalogue = await formatter().parse(readFileSync(FILE, 'utf8'), {
  locale: 'de',
  sourceLocale: 'en',
  filename: FILE.pathname,
});
const texts = Object.values(catalogue).map(({ message = '', translation = '' }) => ({
  english: message,
  german: translation,
}));

test('every text of the dashboard has a German one', () => {
  expect(texts.length).toBeGreaterThan(0);
  expect(texts.filter(({ german }) => german === '')).toEqual([]);
});

test('a German text has the placeholders and tags of the English one', () => {
  expect(texts.filter(({ english, german }) => `${partsOf(english)}` !== `${partsOf(german)}`)).toEqual([]);
});

test('the texts for the remedies of error codes are among those that are translated', () => {
  expect(texts.map(({ english }) => english)).toContain('its certificate has expired, or is not valid yet');
});

/** How a text says it, and the words that it does without. */
const WORDS: [rule: string, pattern: RegExp][] = [
  ['URL is written in capitals', /\b(?:url|Url|urls|Urls)\b/],
  ['in flight, in progress', /under way/i],
  ['remove, clear, cancel, close', /\btak(?:e|es|en|ing)\b.*\boff\b|leaves? (?:it|them) as/i],
  ['must not, cannot', /\bmay not\b/i],
  ['can view, can edit', /\bmay (?:do|look|view|read|see|send|edit|change|add|create)\b/i],
  ['the noun itself', /\bthose (?:that|which|of)\b|\bwhat (?:is|was|are|were|comes)\b|\bwhoever\b/i],
  ['active: who says it', /\b(?:is|are|was|were) told\b/i],
  ['an empty list says “No deliveries”', /\bno (?:\w+ ){1,3}yet\b|\bthere (?:is|are) (?:no|nothing)\b/i],
  ['the verb of what happens', /\bcomes? about\b|\bstands? here\b/i],
  ['again', /\banew\b/i],
  ['someone, anyone', /\b(?:some|any)body\b/i],
];
const MAX_WORDS = { sentence: 20, title: 4 };

test('every text keeps the rules of plain English', () => {
  const offenders = texts.flatMap(({ english }) =>
    formsOf(english).flatMap((form) => [
      ...WORDS.filter(([, pattern]) => pattern.test(form)).map(([rule]) => `${rule}: “${form}”`),
      ...sentencesOf(form)
        .filter((sentence) => wordsOf(sentence) > MAX_WORDS.sentence)
        .map((sentence) => `a sentence has at most ${MAX_WORDS.sentence} words: “${sentence}”`),
    ]),
  );
  expect(offenders).toEqual([]);
});

test('the rules tell a text that breaks them from one that keeps them', () => {
  const broken = [
    'Change the url',
    'There is no key here.',
    'No endpoint yet',
    'Take all off',
    'What is next',
    'May look',
  ];
  const kept = ['Change the URL', 'No keys', 'It may have been deleted.', 'not valid yet'];
  const breaks = (text: string) => WORDS.some(([, pattern]) => pattern.test(text));
  expect([broken.filter((text) => !breaks(text)), kept.filter(breaks)]).toEqual([[], []]);
  expect(formsOf('{n, plural, one {One {kind} is held} other {# are held}} until {end}.')).toEqual([
    'One x is held until x.',
    'x are held until x.',
  ]);
});

test('a title has at most four words', () => {
  const titles = globSync('**/*.tsx', { cwd: DASHBOARD }).flatMap((file) =>
    titlesIn(readFileSync(new URL(file, DASHBOARD), 'utf8')),
  );
  expect(titles.length).toBeGreaterThan(60);
  expect(titles.filter((title) => wordsOf(title) > MAX_WORDS.title)).toEqual([]);
});

/** What is in `title={…}`, also in both arms of a condition, and in `<h2>`. A placeholder is one word. */
function titlesIn(code: string): string[] {
  const places = code.match(/\btitle=\{(?:[^{}]|\{[^{}]*\})*\}|<h([1-3])\b[\s\S]*?<\/h\1>/g) ?? [];
  const text = /<Trans>([\s\S]*?)<\/Trans>|\bt`([^`]*)`/g;
  return places.flatMap((place) =>
    [...place.matchAll(text)].map(([, inElement, inCode]) =>
      (inElement ?? inCode ?? '').replaceAll(/<[^<>]*\/>|\$?\{[^{}]*\}/g, 'x').trim(),
    ),
  );
}

/** A text as it is shown, once for each of its plural forms; a placeholder is one word. */
function formsOf(text: string): string[] {
  return formsOfMessage(compileMessage(text, (part) => part)).map((form) =>
    form.replaceAll(/<\/?\d+\/?>/g, (tag) => (tag.endsWith('/>') ? 'x' : '')),
  );
}

function formsOfMessage(message: CompiledMessage): string[] {
  const tokens = Array.isArray(message) ? message : [message];
  return tokens.reduce<string[]>(
    (before, token) => before.flatMap((start) => formsOfToken(token).map((end) => start + end)),
    [''],
  );
}

function formsOfToken(token: CompiledMessage | CompiledMessage[number]): string[] {
  if (!Array.isArray(token)) {
    return [token === '#' ? 'x' : `${token}`];
  }
  const [, , format] = token;
  if (typeof format !== 'object' || format === null) {
    return ['x'];
  }
  const forms = Object.values(format).filter((form) => form !== undefined) as CompiledMessage[];
  return forms.flatMap(formsOfMessage);
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?])\s+/);
}

function wordsOf(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** `<0/>`, `name`, `n plural one other`, sorted. Throws where the text is not an ICU message. */
function partsOf(text: string): string[] {
  const compiled = compileMessage(text, (part) => part);
  const tags = text.match(/<\/?\d+\/?>/g) ?? [];
  return [...new Set([...tags, ...placeholdersOf(compiled)])].sort();
}

function placeholdersOf(message: CompiledMessage): string[] {
  const tokens = Array.isArray(message) ? message : [];
  return tokens.flatMap((token) => {
    if (!Array.isArray(token)) {
      return [];
    }
    const [name, kind = '', format] = token;
    // Beside its forms a plural has `offset`, which is not set.
    const forms = Object.entries(typeof format === 'object' ? (format ?? {}) : {}).filter(
      ([, form]) => form !== undefined,
    ) as [string, CompiledMessage][];
    const own = [name, kind, ...forms.map(([form]) => form).sort()].join(' ');
    return [own, ...forms.flatMap(([, form]) => placeholdersOf(form))];
  });
}
