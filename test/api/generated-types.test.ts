import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { codegen } from '@graphql-codegen/core';
import * as operations from '@graphql-codegen/typescript-operations';
import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { graphqlExamples } from '../support/graphql-examples.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The types that graphql-codegen makes of schema.graphql and docs/graphql*.md. It refuses two examples of one name. */
function generated(examples: readonly { query: string }[] = graphqlExamples): Promise<string> {
  return codegen({
    filename: 'api.ts',
    schema: parse(readFileSync(join(root, 'schema.graphql'), 'utf8')),
    documents: examples.map(({ query }, index) => ({ location: `example ${index}`, document: parse(query) })),
    config: {
      strictScalars: true,
      scalars: { DateTime: 'string', JSON: 'unknown', JSONObject: 'Record<string, unknown>', SafeInt: 'number' },
    },
    plugins: [{ operations: {} }],
    pluginMap: { operations },
  });
}

/** The errors of the TypeScript compiler in a module that imports the generated one. */
async function judge(source: string): Promise<string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'api.ts'), await generated());
  writeFileSync(join(folder, 'app.ts'), source);
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--types', '', '--target', 'es2022'];
  const modules = ['--module', 'esnext', '--moduleResolution', 'bundler'];
  const compiler = join(root, 'node_modules', '.bin', 'tsc');
  return promisify(execFile)(compiler, [...options, ...modules, 'app.ts'], { cwd: folder }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

const app = `
  import type { RedeliverMutationVariables, WebhookQuery } from './api';
  export const names = ({ webhook }: WebhookQuery): string => webhook === null || webhook === undefined ? '' : webhook.id;
  export const again: RedeliverMutationVariables = { input: { deliveryId: 'dl_12' } };
`;

describe('graphql-codegen', () => {
  test('makes TypeScript of all documented examples, which the compiler accepts', async () => {
    expect(await judge(app)).toBe('');
  }, 60_000);

  test('makes types that hold: the compiler refuses what the schema does not have', async () => {
    expect(await judge(app.replace('webhook.id', 'webhook.number'))).toContain("'number' does not exist");
  }, 60_000);

  test('would refuse two examples of one name', async () => {
    const other = { query: 'query Webhook { viewer { scopes } }' };
    await expect(generated([...graphqlExamples, other])).rejects.toThrow(/unique/);
  });
});
