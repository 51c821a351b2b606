import { test, expect } from 'vitest';
import pg from 'pg';
import { createTestDatabase } from './database.js';
test('x', async () => {
  const t = performance.now();
  const d = await createTestDatabase();
  console.log('create', performance.now() - t);
  const t3 = performance.now();
  const many = await Promise.all(Array.from({ length: 5 }, createTestDatabase));
  console.log('5', performance.now() - t3);
  const c = new pg.Client({ connectionString: d.url }); await c.connect();
  expect((await c.query('select count(*)::int n from hookwright.event_types')).rows[0].n).toBe(5);
  await c.end();
  const t2 = performance.now();
  await d.drop(); console.log('drop', performance.now() - t2);
  await Promise.all(many.map((m) => m.drop()));
});
