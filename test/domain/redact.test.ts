import { describe, expect, test } from 'vitest';
import type { SendResult } from '../../src/domain/deliveries/outcome.js';
import { HIDDEN, withoutSecrets } from '../../src/domain/deliveries/redact.js';
import { decoded, type Layer } from '../../src/domain/deliveries/written-forms.js';
import { fc } from '../support/properties.js';

type Answer = Extract<SendResult, { kind: 'response' }>;

const answer = (body: string | Buffer, bodyTruncated = false, headers: Answer['headers'] = {}): SendResult =>
  ({ kind: 'response', statusCode: 200, headers, body: Buffer.from(body as string), bodyTruncated }) as Answer;
const shown = (result: SendResult, ...secrets: string[]) => withoutSecrets(result, secrets) as Answer;
const bodyShown = (body: string, ...secrets: string[]) => shown(answer(body), ...secrets).body.toString();

const unit = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const html = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** How programs write a text. */
const WRITERS: Record<string, (text: string) => string> = {
  'as it is': (text) => text,
  'JSON of JavaScript': json,
  'JSON of PHP': (text) =>
    json(text)
      .replaceAll('/', '\\/')
      .replaceAll(/[\u{80}-\u{ffff}]/gu, unit),
  'JSON of Python, ASCII alone': (text) => json(text).replaceAll(/[\u0080-\uffff]/g, unit),
  'JSON of Go and Rails': (text) => json(text).replaceAll(/[<>&\u2028]/g, unit),
  'JSON of Gson': (text) => json(text).replaceAll(/[<>&='\u2028]/g, unit),
  'JSON with large letters': (text) =>
    text.replaceAll(/[^a-z]/gi, (one) => [...one].map(unit).join('').toUpperCase().replaceAll('\\U', '\\u')),
  'a component of a URL': encodeURIComponent,
  'a form': (text) => new URLSearchParams({ a: text }).toString().slice(2),
  'small letters in a URL': (text) => encodeURIComponent(text).replaceAll(/%../g, (one) => one.toLowerCase()),
  HTML: html,
  'HTML by numbers': (text) => text.replaceAll(/[^a-z0-9 ]/giu, (one) => `&#${one.codePointAt(0)};`),
  'HTML of Mustache': (text) => text.replaceAll(/[&<>"'/`=]/g, (one) => `&#x${one.charCodeAt(0).toString(16)};`),
  'JSON in HTML': (text) => html(json(text)),
  'JSON in JSON': (text) => json(json(text)),
  'JSON of PHP in a URL in HTML': (text) => html(encodeURIComponent(json(text).replaceAll('/', '\\/'))),
};

const plainSecret = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'abcXYZ019/+=<>"&ä'), minLength: 8, maxLength: 40 }),
  fc.uint8Array({ minLength: 9, maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('base64')),
);
const secret = fc.oneof(
  plainSecret,
  fc.string({ unit: 'grapheme', minLength: 8, maxLength: 20 }),
  fc
    .array(fc.constantFrom('%41', '\\/', '\\u0041', '&amp;', 'ä', '+', ' ', 'a'), { minLength: 8, maxLength: 12 })
    .map((all) => all.join('')),
);

describe('an answer that repeats a secret', () => {
  test.each(Object.entries(WRITERS))('%s shows the rest alone', (_, write) => {
    fc.assert(
      fc.property(secret, (text) => {
        fc.pre(text.isWellFormed() && text.trim() === text);
        expect(bodyShown(`<p>before ${write(text)} after</p>`, text)).toBe(`<p>before ${HIDDEN} after</p>`);
      }),
    );
  });

  test.each([0, 1, 2, 3, 4])(
    'in base64, behind %i other bytes, has no run of it that says more than a byte',
    (before) => {
      fc.assert(
        fc.property(secret, fc.constantFrom('base64', 'base64url'), (text, encoding) => {
          const whole = Buffer.concat([Buffer.alloc(before, 'x'), Buffer.from(text), Buffer.from('behind')]);
          const [begin = '', end = ''] = bodyShown(whole.toString(encoding as 'base64'), text).split(HIDDEN);
          expect(begin.length).toBeLessThanOrEqual(Math.ceil((before * 4) / 3) + 1);
          expect(end.length).toBeLessThanOrEqual(11);
        }),
      );
    },
  );

  test('in a header shows the rest of the header', () => {
    const { headers } = shown(
      answer('', false, { location: '/a?key=a%2Fb%2Fc%2Fd%2Fe', link: ['a/b/c/d/e'] }),
      'a/b/c/d/e',
    );
    expect(headers).toEqual({ location: `/a?key=${HIDDEN}`, link: [HIDDEN] });
  });

  test('in a header as bytes of UTF-8, which Node reads as characters each, is hidden too', () => {
    const secret = 'pä/s"s+w&r<d~K€y';
    const sent = Buffer.from(`key=${secret}; path=/`).toString('latin1');
    expect(shown(answer('', false, { 'set-cookie': [sent] }), secret).headers).toEqual({
      'set-cookie': [`key=${HIDDEN}; path=/`],
    });
  });

  test('several times, and several secrets of which one is a part of another, hides them all', () => {
    const body = '{"a":"long\\/secret\\/tail","b":"long/secret","c":["long/secret/tail"]}';
    expect(bodyShown(body, 'long/secret', 'long/secret/tail')).toBe(
      `{"a":"${HIDDEN}","b":"${HIDDEN}","c":["${HIDDEN}"]}`,
    );
  });

  test.each(Object.entries(WRITERS))('%s, and is cut in the middle of it, ends before it', (_, write) => {
    fc.assert(
      fc.property(plainSecret, fc.nat(), (text, at) => {
        const written = Buffer.from(write(text));
        const cut = Buffer.concat([Buffer.from('before '), written.subarray(0, at % written.length)]);
        const kept = shown(answer(cut, true), text).body.toString('latin1').slice('before '.length);
        // No more of it is left than is looked for, in bytes of UTF-8, and half an escape.
        expect(unescaped(kept.replace(HIDDEN, '')).length).toBeLessThan(2 * 8 + 10);
      }),
    );
  });
});

/** What a text means, as far as its escapes are whole. */
function unescaped(text: string): string {
  let layer: Layer = { text, at: null };
  for (let next = decoded(layer); next !== null; next = decoded(layer)) {
    layer = next;
  }
  return layer.text;
}

test('an answer without a secret stays to the byte, broken UTF-8 and half escapes too', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, isCut) => {
      const body = Buffer.from(bytes);
      expect(shown(answer(body, isCut), 'a secret that is nowhere').body.equals(body)).toBe(true);
    }),
  );
});

test('a short secret is not looked for: answers have such words by chance', () => {
  expect(bodyShown('{"status":"created"}', 'created')).toBe('{"status":"created"}');
});
