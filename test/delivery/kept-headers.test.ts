import { expect, test } from 'vitest';
import { HEADER_BYTES_MAX, headersToKeep } from '../../daemon/sending/kept-headers.js';

const bytesOf = (headers: object) => Buffer.byteLength(JSON.stringify(headers));

test('a receiver’s headers are kept as they came, whatever they are called', () => {
  const headers = {
    'content-type': 'text/plain',
    'set-cookie': ['a=1', 'b=2'],
    constructor: 'x',
    ['__proto__']: 'y',
  };
  expect(Object.entries(headersToKeep(headers))).toEqual(Object.entries(headers));
  const { 'set-cookie': _, ...single } = headers;
  expect(Object.entries(headersToKeep(single))).toEqual(Object.entries(single));
});

test.each([
  ['as they are', 'v'.repeat(16_000)],
  ['with what JSON escapes', '\u0001'.repeat(2_700)],
  ['with letters beyond ASCII', 'é'.repeat(8_000)],
])('one that just fits %s is kept, and the next one is not', (_, value) => {
  const headers = { first: value, second: 'v'.repeat(400) };
  expect(Object.keys(headersToKeep(headers))).toEqual(['first']);
});

test('of thousands of tiny ones as many are kept as fit when they are written down', () => {
  const headers = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`h${index}`, '"']));
  const kept = headersToKeep(headers);
  expect(bytesOf(kept)).toBeLessThanOrEqual(HEADER_BYTES_MAX);
  expect(bytesOf(kept)).toBeGreaterThan(HEADER_BYTES_MAX * 0.8);
});
