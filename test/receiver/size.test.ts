import { gzipSync } from 'node:zlib';
import { build, type Rollup } from 'vite';
import { expect, test } from 'vitest';

const KIB = 1024;
const entries: [name: string, bytesMax: number][] = [
  ['index', 4.5 * KIB],
  ...['express', 'fastify', 'next', 'hono', 'nest', 'fetch'].map((name): [string, number] => [
    `adapters/${name}`,
    6.5 * KIB,
  ]),
  ['dedupe/index', 1.5 * KIB],
];

test.each(entries)('%s has at most %i bytes, minified and packed, with all that it imports', async (name, bytesMax) => {
  const lib = { entry: `packages/receiver/src/${name}.ts`, formats: ['es' as const], fileName: 'bundle' };
  const built = await build({ configFile: false, logLevel: 'silent', build: { write: false, minify: 'oxc', lib } });
  const [{ output }] = built as [Rollup.RollupOutput];
  expect(output).toHaveLength(1);
  const { length } = gzipSync(output[0].code);
  expect(length).toBeLessThan(bytesMax);
});
