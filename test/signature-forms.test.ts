import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError, readConfig } from '../src/platform/settings/config.js';
import { temporaryFolder } from './support/temporary-folder.js';

const folder = temporaryFolder();
const file = join(folder, 'forms.json');

/** What the start says of a file. Null: nothing. */
function faultOf(text: string, settings: Record<string, string> = {}): string | null {
  writeFileSync(file, text);
  try {
    readConfig({ SIGNATURE_FORMS: file, ...settings });
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
}
const acme = { header: 'x-acme-signature', content: '{timestamp}.{body}' };
const faultOfForm = (change: object, name = 'acme') => faultOf(JSON.stringify({ [name]: { ...acme, ...change } }));

describe('SIGNATURE_FORMS', () => {
  test('adds the forms of its file to the built-in ones', () => {
    const names = (settings: Record<string, string>) => [...readConfig(settings).delivery.signatureForms.keys()];
    expect(names({})).toEqual(['svix', 'convoy', 'convoy-simple', 'outpost']);
    writeFileSync(file, JSON.stringify({ acme, other: { ...acme, join: ' ', also: { 'x-acme-id': '{id}' } } }));
    expect(names({ SIGNATURE_FORMS: file })).toEqual(['svix', 'convoy', 'convoy-simple', 'outpost', 'acme', 'other']);
  });

  test('leaves out a built-in form whose headers are those of the service', () => {
    const { signatureForms } = readConfig({ HEADER_PREFIX: 'X-Convoy' }).delivery;
    expect([...signatureForms.keys()]).toEqual(['svix', 'outpost']);
  });

  test('that names no file, or one without forms, stops the start', () => {
    const message = (what: string) =>
      `SIGNATURE_FORMS is ${JSON.stringify(file)}, and ${what}; allowed: the path of a JSON file of signature forms, as docs/signatures.md describes them.`;
    expect(faultOf('')).toBe(message('the file is empty'));
    expect(faultOf('{"acme": ')).toBe(message('the file is not JSON'));
    for (const text of ['[]', 'null', '"a"']) {
      expect(faultOf(text)).toBe(message('the file is not an object of forms by their names'));
    }
    const absent = join(folder, 'absent.json');
    expect(() => readConfig({ SIGNATURE_FORMS: absent })).toThrow('and the file cannot be read (ENOENT)');
    expect(faultOf(JSON.stringify(Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`a${n}`, acme]))))).toBe(
      message('the file has more than 100 forms'),
    );
  });

  test.each([
    [{ content: '{timestamp}' }, 'content must have {body} once'],
    [{ content: '{body}{type}' }, 'content has "{type}"; the placeholders here are {id}, {timestamp}, {body}, and'],
    [{ value: 'v1' }, 'value must have {signature} once'],
    [{ algorithm: 'md5' }, 'algorithm is not one of sha1, sha256, sha512'],
    [{ encoding: 'utf8' }, 'encoding is not one of hex, base64'],
    [{ key: 'raw' }, 'key is not one of text, base64, hex'],
    [{ header: 1 }, 'header is not a text'],
    [{ header: undefined }, 'lacks header'],
    [{ content: undefined }, 'lacks content'],
    [{ prefix: 'a\r\nb' }, 'prefix has other characters than visible ASCII and blanks'],
    [{ join: '\n' }, 'join has other characters than visible ASCII and blanks'],
    [{ prefix: 'a'.repeat(201) }, 'prefix has more than 200 characters'],
    [{ prefix: ' ' }, 'makes a value of x-acme-signature that begins or ends with a blank, or is empty'],
    [{ also: { 'x-a': '' } }, 'makes a value of x-a that begins or ends with a blank, or is empty'],
    [
      { also: { 'x-a': '{body}' } },
      'also.x-a has "{body}"; the placeholders here are {id}, {timestamp}, {type}, {time}',
    ],
    [{ also: { X_Acme_Signature: '1' } }, 'has one header twice; case and punctuation make no difference'],
    [{ also: [] }, 'also is not an object of texts'],
    [{ algoritm: 'sha256' }, 'has "algoritm", which no form has'],
  ])('with %j in a form stops the start: %s', (change, fault) => {
    expect(faultOfForm(change)).toContain(`and the form "acme" ${fault}`);
  });

  test('with a form that is none, or has a name that is none, stops the start', () => {
    expect(faultOf('{"acme": 1}')).toContain('the form "acme" is not an object');
    for (const name of ['Acme', '1a', '', 'a b', 'a'.repeat(41), '__proto__']) {
      expect(faultOf(`{${JSON.stringify(name)}: ${JSON.stringify(acme)}}`)).toContain('has no name of 1 to 40');
    }
    expect(faultOfForm({}, 'svix')).toContain('the form "svix" has the name of a built-in form; choose another');
  });

  test.each([
    ['X-Service-Signature', {}],
    ['x_service_any', {}],
    ['X-Hub-Signature', { HEADER_PREFIX: 'X-Hub' }],
    ['webhook-signature', { STANDARD_WEBHOOKS: 'false' }],
    ['content-length', {}],
    ['Connection', {}],
    ['User-Agent', {}],
  ])('with the header %s stops the start', (header, settings) => {
    const fault = `SIGNATURE_FORMS has the form acme, whose header ${header} is a header that the service or the connection sets: choose another name.`;
    expect(faultOf(JSON.stringify({ acme: { ...acme, header } }), settings)).toBe(fault);
    expect(faultOf(JSON.stringify({ acme: { ...acme, also: { [header]: '{id}' } } }), settings)).toBe(fault);
  });

  test('with a name twice stops the start, whatever it names', () => {
    const form = JSON.stringify(acme);
    const texts = [
      `{"acme": ${form}, "acme": ${form}}`,
      `{"acme": ${form}, "\\u0061cme": ${form}}`,
      `{"acme": {"header": "x-a", ${form.slice(1)}}`,
      `{"acme": {"also": {"x-b": "1", "x-b": "2"}, ${form.slice(1)}}`,
    ];
    for (const text of texts) {
      expect(faultOf(text)).toContain('and the file has a name twice in an object; allowed:');
    }
    expect(faultOf(`{"acme": ${form}, "other": ${form}}`)).toBeNull();
  });

  test('with __proto__ anywhere stops the start', () => {
    const form = JSON.stringify(acme).slice(1);
    expect(faultOf(`{"acme": {"__proto__": "1", ${form}}`)).toContain('has "__proto__", which no form has');
    expect(faultOf(`{"acme": {"also": {"__proto__": "1"}, ${form}}`)).toContain(
      'the form "acme" also has "__proto__", which is not the name of a header',
    );
  });

  test('with a header whose name is none stops the start', () => {
    expect(faultOfForm({ header: 'x acme' })).toContain('whose header x acme is not the name of a header');
  });
});
