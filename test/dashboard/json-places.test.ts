import { expect, test } from 'vitest';
import { placeOf } from '../../dashboard/text/json-places.js';

const TEXT = `{
  "type": "object",
  "properties": {
    "a \\"quoted\\" name": { "type": "strin" },
    "list": [1, { "deep": [true, null] }]
  },
  "type": "last one counts"
}`;

const textAt = (path: (string | number)[]) => {
  const { start, end, line } = placeOf(TEXT, path);
  return [line, TEXT.slice(start, end)];
};

test('A value is found in a JSON text by its path, with its line', () => {
  expect(textAt(['properties', 'a "quoted" name', 'type'])).toEqual([4, '"strin"']);
  expect(textAt(['properties', 'list', 1, 'deep', 0])).toEqual([5, 'true']);
  expect(textAt(['properties', 'list', '1', 'deep', '1'])).toEqual([5, 'null']);
});

test('Of two members of one name the last one is found, as a parser takes it', () => {
  expect(textAt(['type'])).toEqual([7, '"last one counts"']);
});

test('A path that leads further than the text ends at the last value that is there', () => {
  expect(textAt(['properties', 'list', 7, 'deep'])).toEqual([5, '[1, { "deep": [true, null] }]']);
  expect(textAt(['properties', 'list', 0, 'deep'])).toEqual([5, '1']);
  expect(placeOf(' 7 ', ['a'])).toEqual({ start: 1, end: 2, line: 1 });
});
