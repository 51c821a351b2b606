import { expect, test } from 'vitest';
import { withFailing, worstFirst } from '../../dashboard/screens/tenants/worst-first.js';

const counts = (gone: number, disabled: number, failing: number) => ({ gone, disabled, failing });
const newest = { id: 'tn_3' };
const oldest = { id: 'tn_1' };
const unread = { id: 'tn_0' };
const worst = [
  { ...counts(1, 0, 0), tenant: oldest },
  { ...counts(0, 0, 2), tenant: unread },
  { ...counts(0, 1, 0), tenant: null },
];

test('Tenants with failing endpoints come first, also those that the list has not read, each once', () => {
  expect(worstFirst([newest, oldest], worst, false)).toEqual([
    { id: 'tn_1', failing: counts(1, 0, 0) },
    { id: 'tn_0', failing: counts(0, 0, 2) },
    { id: 'tn_3', failing: undefined },
  ]);
});

test('A search lists no tenant that does not match', () => {
  expect(worstFirst([newest, oldest], worst, true).map(({ id }) => id)).toEqual(['tn_1', 'tn_3']);
});

test('Tenants in another order keep it, and say what fails', () => {
  const ordered = withFailing([newest, unread], worst);
  expect(ordered.map(({ id }) => id)).toEqual(['tn_3', 'tn_0']);
  expect(ordered.map(({ failing }) => failing?.failing)).toEqual([undefined, 2]);
});
