import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FRAMEWORK_SNIPPETS } from '../../dashboard/screens/endpoints/form/framework-snippets.js';
import { SNIPPETS } from '../../dashboard/screens/endpoints/form/snippets.js';
import { formatSecret, secretKeys } from '../../src/domain/signing/secret.js';
import { contractSignature, standardSignature } from '../../src/domain/signing/signature.js';
import { eventually } from '../support/eventually.js';
import { ownPort } from '../support/loopback.js';

const run = promisify(execFile);
const secret = formatSecret(Buffer.alloc(33, 7));
const keys = secretKeys(secret);
const body = '{"brand":"Übersee","code":"A/1"}';
const ID = '4711';

/** The headers of a delivery as the service sends them. */
function headersAt(seconds: number): Record<string, string> {
  return {
    'x-service-signature': contractSignature(keys.contract, Buffer.from(body)),
    'x-service-timestamp': String(seconds),
    'webhook-id': ID,
    'webhook-timestamp': String(seconds),
    'webhook-signature': standardSignature(keys.standard, ID, seconds, Buffer.from(body)),
  };
}

const now = () => Math.floor(Date.now() / 1_000);
/** What each receiver has to say of a delivery: genuine, changed on its way, and repeated six minutes later. */
const deliveries = (): [genuine: boolean, body: string, headers: Record<string, string>][] => [
  [true, body, headersAt(now())],
  [false, body.replace('A', 'B'), headersAt(now())],
  [false, body, headersAt(now() - 360)],
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookwright-snippets-'));
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const codeOf = (language: string, way: 'library' | 'plain') =>
  [...SNIPPETS, ...FRAMEWORK_SNIPPETS].find((snippet) => snippet.language === language)?.[way] ?? '';

async function write(file: string, code: string): Promise<string> {
  const path = join(folder, file);
  await writeFile(path, code);
  return path;
}

/**
 * What a program says of each delivery, `true` or `false`: its arguments are the body, the five headers of `headersAt`
 * and the secret, in this order.
 */
async function verdicts(command: string, ...options: string[]): Promise<boolean[]> {
  const said = [];
  for (const [, sent, headers] of deliveries()) {
    const args = [...options, sent, ...Object.values(headers), secret];
    const { stdout } = await run(command, args, { env: { ...process.env, WEBHOOK_SECRET: secret } });
    said.push(stdout.trim() === 'true');
  }
  return said;
}

/** A server that runs the route of Next.js as that does: with the request of the web. */
const NEXT = `import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { POST } from './route.mjs';
createServer(async (incoming, answer) => {
  const body = Readable.toWeb(incoming);
  const init = { method: incoming.method, headers: incoming.headers, body, duplex: 'half' };
  answer.writeHead((await POST(new Request('http://localhost/webhooks', init))).status).end();
}).listen(process.env.PORT);
`;

/** What a receiver's server answers to each delivery. */
async function answers(program: string): Promise<number[]> {
  const port = await ownPort();
  const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret };
  const server = spawn(process.execPath, [program], { env, stdio: 'ignore' });
  const send = ([, sent, headers]: ReturnType<typeof deliveries>[number]) =>
    fetch(`http://localhost:${port}/webhooks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: sent,
    });
  try {
    await eventually(() =>
      send(deliveries()[0]!).then(
        () => true,
        () => false,
      ),
    );
    return await Promise.all(deliveries().map(async (delivery) => (await send(delivery)).status));
  } finally {
    server.kill();
  }
}

const expected = [true, false, false];

describe('the code that receivers are given tells genuine deliveries from others', () => {
  const nodeMain = `const [body, contract, contractTime, id, time, standard, secret] = process.argv.slice(2);`;

  it('in TypeScript', async () => {
    const main = `${nodeMain}
console.log(isGenuine(Buffer.from(body), { 'x-service-signature': contract, 'x-service-timestamp': contractTime }, secret));`;
    const code = `${codeOf('TypeScript', 'plain')}\n${main}`;
    expect(await verdicts(process.execPath, await write('plain.mts', code))).toEqual(expected);
  });

  it('in TypeScript with the library', async () => {
    const main = `${nodeMain}
try {
  verify(Buffer.from(body), { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': standard });
  console.log(true);
} catch (error) {
  console.log(false);
}`;
    const code = `${codeOf('TypeScript', 'library')}\n${main}`;
    expect(await verdicts(process.execPath, await write('library.mts', code))).toEqual(expected);
  });

  it.each(
    ['Express', 'Fastify', 'Next.js'].flatMap((framework) =>
      (['library', 'plain'] as const).map((way) => [framework, way] as const),
    ),
  )('in %s (%s)', async (framework, way) => {
    const code = codeOf(framework, way);
    const isNext = framework === 'Next.js';
    const program = await write(isNext ? 'route.mjs' : `${framework}-${way}.mjs`, code);
    expect(await answers(isNext ? await write('next.mjs', NEXT) : program)).toEqual([204, 401, 401]);
  });

  it('in TypeScript, and takes the headers of a request of node:http', { timeout: 60_000 }, async () => {
    const main = (call: string) => `import { createServer } from 'node:http';
createServer((request) => void ${call});
`;
    const files = [
      await write(
        'plain-types.mts',
        `${codeOf('TypeScript', 'plain')}${main("isGenuine(Buffer.from(''), request.headers, '')")}`,
      ),
      await write('library-types.mts', `${codeOf('TypeScript', 'library')}${main("verify('', request.headers)")}`),
    ];
    const options = '--ignoreConfig --noEmit --strict --module nodenext --types node --skipLibCheck'.split(' ');
    const { stdout } = await run('node_modules/.bin/tsc', [...options, ...files]).catch((error) => error);
    expect(stdout).toBe('');
  });
});
