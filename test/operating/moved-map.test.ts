import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('moved.map has one line for a tenant that was moved twice: that of the cell that it left last', () => {
  const lines = ['t42 1 0', 'k17 1 0', 't5 2 0', 't42 2 1', 'k17 2 1', 't6 hold 1', 't6 1 0'];
  const { stdout, stderr } = spawnSync('ops/haproxy/hookwright-map', {
    input: `${lines.join('\n')}\n`,
    encoding: 'utf8',
  });
  expect([stdout, stderr]).toEqual(['t5 2\nt42 2\nk17 2\nt6 hold\n', '']);
});
