import { describe, expect, test } from 'vitest';
import { readSecrets } from '../../packages/receiver/src/secrets.js';
import { formatSecret, isSecret, SECRET_BYTES, secretKeys } from '../../src/domain/signing/secret.js';
import { fc } from '../support/properties.js';

const counting = Buffer.from(Array.from({ length: SECRET_BYTES }, (_, index) => index));
const of = (bytes: number) => `whsec_${Buffer.alloc(bytes, 'b').toString('base64')}`;

describe('a signing secret', () => {
  test('is whsec_ and the base64 of its 33 bytes', () => {
    expect(formatSecret(counting)).toBe('whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g');
  });

  test('gives its whole text as one key and the bytes behind the prefix as the other', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 75 }), (bytes) => {
        const secret = formatSecret(Buffer.from(bytes));
        const keys = secretKeys(secret);
        expect(keys.contract.export().toString('utf8')).toBe(secret);
        expect(keys.standard.export()).toEqual(Buffer.from(bytes));
      }),
    );
  });

  test.each([
    'x'.repeat(16),
    `${' '.repeat(255)}x`,
    `x${' '.repeat(15)}`,
    'acme:secret/2024_v1!',
    'a pass phrase, "quoted"',
    'whsec-not-the-prefix',
  ])('that is the text %j gives it as both keys', (secret) => {
    const keys = secretKeys(secret);
    expect(keys.contract.export().toString('utf8')).toBe(secret);
    expect(keys.standard.export().toString('utf8')).toBe(secret);
  });

  test.each([
    ['cut short', 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8'],
    ['with a character that is not base64', 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8!'],
    ['with base64 of URLs', 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh-_'],
    ['with a line end', 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g\n'],
    ['with a blank in front', ' whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g'],
    ['with quotation marks', '"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g"'],
    ['of 15 bytes', of(15)],
    ['of 76 bytes', of(76)],
    ['that is a text of 15 characters', 'x'.repeat(15)],
    ['that is a text of 257 characters', 'x'.repeat(257)],
    ['that is a text with a letter of another alphabet', 'the secret of Zoë'],
    ['that is a text with a line end', 'a text of one line\n'],
    ['that is a text with NUL', 'a text with \0 in it'],
    ['that is 16 blanks', ' '.repeat(16)],
    ['that is 256 blanks', ' '.repeat(256)],
    ['that is empty', ''],
  ])('is refused %s, and the error does not quote it', (_, text) => {
    expect(() => secretKeys(text)).toThrow(TypeError);
    expect(() => secretKeys(text)).toThrow(
      'Not a signing secret: expected whsec_ and the base64 of 16 to 75 bytes, or 16 to 256 printable ASCII characters',
    );
  });

  test('has the same forms and keys for the service and for its receivers', () => {
    const base64 = fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes).toString('base64'));
    const texts = fc.oneof(
      fc.string({ maxLength: 300 }),
      fc.string({ minLength: 14, maxLength: 18, unit: fc.constantFrom(' ', ' ', ' ', ' ', ' ', 'x') }),
      fc.string({ minLength: 10, maxLength: 300, unit: 'grapheme-ascii' }),
      base64.map((text) => `whsec_${text}`),
      fc.tuple(fc.constantFrom(' ', '"', "'", '\t', ''), base64).map(([edge, text]) => `${edge}whsec_${text}${edge}`),
      fc.tuple(base64, fc.string({ maxLength: 2 })).map(([text, more]) => `whsec_${text}${more}`),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const theirs = () => readSecrets(text)[0]!;
        if (!isSecret(text)) {
          expect(theirs).toThrow();
          return;
        }
        const [keys, { contract, standard }] = [secretKeys(text), theirs()];
        expect(keys.contract.export()).toEqual(Buffer.from(contract));
        expect(keys.standard.export()).toEqual(Buffer.from(standard));
      }),
    );
  });
});
