import { describe, expect, test } from 'vitest';
import { PREVIEW_VALUES_MAX, previewOf } from '../../src/domain/content/payload-preview.js';

const valuesOf = (json: string) => previewOf(json).values.map(({ path, value }) => `${path}=${value}`);

describe('the preview of a payload', () => {
  test('has its scalars with their paths, exactly as the JSON has numbers', () => {
    const payload =
      '{"order": {"id": 815, "total":12.50, "lines": [{"sku":"a-1"},{"sku":"b-2"}], "paid": true}, "note":null}';
    expect(valuesOf(payload)).toEqual([
      'order.id=815',
      'order.total=12.50',
      'order.lines.0.sku=a-1',
      'order.lines.1.sku=b-2',
      'order.paid=true',
      'note=null',
    ]);
  });

  test('is not misled by what stands in texts', () => {
    expect(valuesOf('{"a":"{\\"b\\": 1}, [","c":"x\\\\","d":"Zoë \\u20ac","e":[":",","]}')).toEqual([
      'a={"b": 1}, [',
      'c=x\\',
      'd=Zoë €',
      'e.0=:',
      'e.1=,',
    ]);
  });

  test.each([
    ['{"a":1,"b', ['a=1']],
    ['{"a":1,"b"', ['a=1']],
    ['{"a":1,"b":', ['a=1']],
    ['{"a":1,"b":"some te', ['a=1', 'b=some te…']],
    ['{"a":1,"b":"some \\u20', ['a=1', 'b=some …']],
    ['{"a":1,"b":"some \\', ['a=1', 'b=some …']],
    ['{"a":[{"b":[', []],
    ['', []],
    ['"text"', ['=text']],
  ])('of a beginning that ends anywhere: %s', (beginning, values) => {
    expect(valuesOf(beginning)).toEqual(values);
  });

  test('is short, however long values are, and however many', () => {
    const many = JSON.stringify(
      Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`n${at}`, '👍'.repeat(500)])),
    );
    const { values } = previewOf(many);
    expect(values).toHaveLength(PREVIEW_VALUES_MAX);
    expect(Math.max(...values.map(({ value }) => value.length))).toBeLessThanOrEqual(80);
    expect(values.every(({ value }) => value.isWellFormed())).toBe(true);
  });

  test('has the place of a searched text, unless a value shows it', () => {
    const search = { text: 'order 815', around: '…"note":"see order 815"…' };
    expect(previewOf('{"a":"an order 815"}', search).excerpt).toBeNull();
    expect(previewOf('{"a":1}', search).excerpt).toBe(search.around);
    expect(previewOf('{"a":1}', { text: 'order 815', around: null }).excerpt).toBeNull();
  });
});
