import { describe, expect, test } from 'vitest';
import { formatSecret, SECRET_BYTES, secretKeys } from '../../src/domain/signing/secret.js';
import { fc } from '../support/properties.js';

const counting = Buffer.from(Array.from({ length: SECRET_BYTES }, (_, index) => index));

describe('a signing secret', () => {
  test('is whsec_ and the base64 of its 33 bytes', () => {
    expect(formatSecret(counting)).toBe('whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g');
  });

  test('gives its whole text as one key and the bytes behind the prefix as the other', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: SECRET_BYTES, maxLength: SECRET_BYTES }), (bytes) => {
        const secret = formatSecret(Buffer.from(bytes));
        expect(secret).toHaveLength(50);
        const keys = secretKeys(secret);
        expect(keys.contract.export().toString('utf8')).toBe(secret);
        expect(keys.standard.export()).toEqual(Buffer.from(bytes));
      }),
    );
  });

  test.each([
    ['without its prefix', 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g'],
    ['cut short', 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8'],
    ['with a character that is not base64', 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8!'],
    ['with a line end', 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g\n'],
    ['that is empty', ''],
  ])('is refused %s, and the error does not quote it', (_, text) => {
    expect(() => secretKeys(text)).toThrow(TypeError);
    expect(() => secretKeys(text)).toThrow('Not a signing secret: expected whsec_ and 44 base64 characters');
  });
});
