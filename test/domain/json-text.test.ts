import { expect, test } from 'vitest';
import { JsonText, writeJson } from '../../src/api/graphql/fields/json-text.js';

test('a JSON text is in an answer as it is, among values that are written', () => {
  const first = new JsonText('{"a": 12345678901234567890, "a": "$& $1"}');
  const value = { x: [first, 1, { y: new JsonText('[]') }], z: 'json:' };
  expect(writeJson(value)).toBe('{"x":[{"a": 12345678901234567890, "a": "$& $1"},1,{"y":[]}],"z":"json:"}');
  expect(writeJson({ a: undefined, b: null })).toBe('{"b":null}');
});

test('what could not be written leaves nothing for the next answer', () => {
  const circle: Record<string, unknown> = { text: new JsonText('1') };
  circle['self'] = circle;
  expect(() => writeJson(circle)).toThrow(TypeError);
  expect(writeJson({ text: new JsonText('2') })).toBe('{"text":2}');
});
