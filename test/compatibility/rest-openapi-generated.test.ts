import { execFile } from 'node:child_process';
import { cpSync, existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import {
  compatibilityFolder,
  requireCompatibilityInstalled,
  skipsCompatibilityTests,
} from '../support/compatibility.js';
import { RestApi } from '../support/rest-api.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const run = promisify(execFile);
/** Where `go install` puts it; CONTRIBUTING.md says which version. */
const oapiCodegen = join(process.env['GOPATH'] ?? join(homedir(), 'go'), 'bin/oapi-codegen');

const api = await RestApi.open();
const document = (await api.ask('GET /openapi.json', { key: null })).text;
const baseUrl = `${await api.server.listen({ host: '127.0.0.1', port: 0 })}/api/v1`;
afterAll(() => api[Symbol.asyncDispose]());

/** A folder with a program that uses a client, and with the document that the client is generated from. */
function programIn(language: 'typescript' | 'go'): string {
  const folder = temporaryFolder();
  cpSync(join('test/support/clients', language), folder, { recursive: true });
  writeFileSync(join(folder, 'openapi.json'), document);
  return folder;
}

async function linesOf(command: string, words: string[], cwd: string): Promise<string[]> {
  const { stdout } = await run(command, [...words, baseUrl, api.tenant.key], { cwd });
  return stdout.trim().split('\n');
}

const seen = [
  'created booking.created true true',
  'refused event_type_unknown',
  'listed 1 true true',
  'tested webhook.test true true',
  'paused false true',
  'deleted 204 not_found',
];

describe('a client that is generated from the OpenAPI document compiles and works', () => {
  test.skipIf(skipsCompatibilityTests())(
    'in TypeScript, by oazapfts',
    async () => {
      requireCompatibilityInstalled();
      const folder = programIn('typescript');
      const modules = join(compatibilityFolder, 'node_modules');
      symlinkSync(modules, join(folder, 'node_modules'));
      const { execPath } = process;
      await run(execPath, [join(modules, 'oazapfts/dist/cli.js'), 'openapi.json', 'api.mts'], { cwd: folder });
      const { stdout } = await run(resolve('node_modules/.bin/tsc'), ['-p', '.'], { cwd: folder }).catch(
        (error) => error,
      );
      expect(stdout).toBe('');
      expect(await linesOf(execPath, ['main.mjs'], folder)).toEqual(seen);
    },
    120_000,
  );

  test.skipIf(!existsSync(oapiCodegen))(
    'in Go, by oapi-codegen, where it is installed',
    async () => {
      const folder = programIn('go');
      const words = ['-generate', 'types,client', '-package', 'main', '-o', 'client.gen.go', 'openapi.json'];
      await run(oapiCodegen, words, { cwd: folder });
      expect(await linesOf('go', ['run', '.'], folder)).toEqual(seen);
    },
    300_000,
  );
});
