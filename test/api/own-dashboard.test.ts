import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeWebhook } from '../support/factories.js';
import { gid } from '../support/ids.js';
import { serve } from '../support/loopback.js';
import { RestApi } from '../support/rest-api.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/own-dashboard.md'), 'utf8');
const run = promisify(execFile);

const api = await RestApi.open();
const url = `http://127.0.0.1:${await serve(api.server)}/graphql`;
const { id } = await makeWebhook(api.services, api.tenant.id);
afterAll(() => api[Symbol.asyncDispose]());

const folder = temporaryFolder();

/** What a product of somebody else would do with the clients of the page. The types are a part of the test. */
const app = (client: string, ask: string) => `import { hookwright } from './${client}';
import { WEBHOOKS } from './webhooks';
void hookwright(process.argv[2]!).${ask}.then(({ data, error }) => {
  const node = data?.webhooks?.edges[0]?.node;
  const [id, at]: (string | undefined)[] = [node?.id, node?.createdAt];
  console.log(JSON.stringify({ id, at, error: error?.message }));
  process.exit();
});
`;
const apps = {
  urql: app('urql', 'query(WEBHOOKS, {}).toPromise()'),
  apollo: app('apollo', "query({ query: WEBHOOKS, errorPolicy: 'all' })"),
};

/** Writes the code of the page with the address of this service, and makes the types. */
beforeAll(async () => {
  mkdirSync(join(folder, 'src'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const [, file = '', code = ''] of page.matchAll(/```ts\n\/\/ (\S+)\n(.*?)```/gs)) {
    writeFileSync(join(folder, file), code.replace('https://hooks.example.com/graphql', url));
  }
  for (const [name, code] of Object.entries(apps)) {
    writeFileSync(join(folder, `src/${name}-app.ts`), code);
  }
  const codegen = join(root, 'node_modules/.bin/graphql-codegen');
  await run(codegen, ['--config', 'codegen.ts'], { cwd: folder });
}, 60_000);

test('the types that the codegen.ts of the page makes know ids and times', async () => {
  const options =
    '--ignoreConfig --noEmit --strict --noUncheckedIndexedAccess --skipLibCheck --types node --target es2022';
  const modules = '--module esnext --moduleResolution bundler --jsx react-jsx';
  const files = Object.keys(apps).map((name) => `src/${name}-app.ts`);
  const compile = () =>
    run(join(root, 'node_modules/.bin/tsc'), [...`${options} ${modules}`.split(' '), ...files], { cwd: folder }).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    );
  expect(await compile()).toBe('');
  writeFileSync(join(folder, 'src/urql-app.ts'), apps.urql.replace('node?.id', 'node?.number'));
  expect(await compile()).toContain("'number' does not exist");
  writeFileSync(join(folder, 'src/urql-app.ts'), apps.urql);
}, 60_000);

test.each(Object.keys(apps))(
  'the client of %s asks by its defaults',
  async (name) => {
    const args = ['--import', 'tsx', `src/${name}-app.ts`, api.tenant.key];
    const { stdout } = await run(process.execPath, args, { cwd: folder });
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\+00:00$/);
    expect(JSON.parse(stdout)).toEqual({ id: gid.webhook(id), at });
  },
  60_000,
);
