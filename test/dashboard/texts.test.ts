import { readFileSync } from 'node:fs';
import { formatter } from '@lingui/format-po';
import { type CompiledMessage, compileMessage } from '@lingui/message-utils/compileMessage';
import { expect, test } from 'vitest';

const FILE = new URL('../../dashboard/text/catalogues/de.po', import.meta.url);

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

/** `<0/>`, `name`, `n plural one other`, sorted. Throws where the text is no ICU message. */
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
