import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { examineReceiver } from '../../src/cli/developer/test-receiver/test-receiver.js';
import { formatSecret } from '../../src/domain/signing/secret.js';
import { runHere } from '../support/command.js';
import { isGenuine, type Parts, startReceiver } from '../support/flawed-receiver.js';
import { openServer } from '../support/loopback.js';
import { runProgram } from '../support/program.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const secret = formatSecret(Buffer.alloc(33, 9));

async function examine(changes: Partial<Parts>, options: { timeout?: number; method?: 'PUT' } = {}) {
  using receiver = await startReceiver(secret, changes);
  const outcomes = await examineReceiver(receiver.url, {
    secret,
    effectUrl: receiver.effects,
    pauseFactor: 0.1,
    ...options,
  });
  const of = (verdict: string) => outcomes.filter((outcome) => outcome.verdict === verdict).map(({ id }) => id);
  return { failed: of('failed'), warning: of('warning'), skipped: of('skipped'), passed: of('passed') };
}

const contractFits = (headers: Record<string, string | undefined>, body: Buffer) =>
  headers['x-service-signature'] === `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
const parsed = (body: Buffer) => JSON.parse(body.toString()) as Record<string, unknown>;

const REFUSALS = [
  'wrong-secret',
  'altered-body',
  'altered-id',
  'altered-timestamp',
  'too-old',
  'too-new',
  'no-signature',
  'other-scheme-alone',
  'empty-signature',
  'two-signatures',
  'malformed-signature',
  'rewritten-body',
];

type BadReceiver = readonly [name: string, changes: Partial<Parts>, foundBy: readonly string[]];

/** Each has the one fault that its name says, and the cases that it must be found by. */
const BAD: readonly BadReceiver[] = [
  ['verifies nothing', { isGenuine: () => true }, [...REFUSALS, 'forged-first']],
  [
    'verifies JSON that was parsed and written again',
    {
      signed: (body) => JSON.stringify(JSON.parse(body.toString())),
    },
    ['utf-8', 'big-numbers', 'rewritten-body'],
  ],
  ['does not look at the time', { isRecent: () => true }, ['too-old', 'too-new']],
  ['refuses old deliveries alone', { isRecent: (timestamp) => Date.now() / 1_000 - timestamp <= 300 }, ['too-new']],
  [
    'looks at the first entry alone',
    { entries: (header) => header.split(' ').slice(0, 1) },
    ['rotation-old', 'unknown-entry'],
  ],
  ['looks at the last entry alone', { entries: (header) => header.split(' ').slice(-1) }, ['rotation-new']],
  [
    'crashes on a signature of another length',
    {
      equals: (a, b) => {
        if (a.length !== b.length) {
          throw new RangeError('Input buffers must have the same byte length');
        }
        return a === b;
      },
    },
    ['unknown-entry', 'no-signature', 'other-scheme-alone', 'empty-signature', 'malformed-signature'],
  ],
  [
    'takes X-Service-Signature where the other one is missing or wrong',
    {
      isGenuine: (headers, body, key) => contractFits(headers, body) || isGenuine(headers, body, key),
    },
    [
      'altered-id',
      'altered-timestamp',
      'too-old',
      'too-new',
      'other-scheme-alone',
      'empty-signature',
      'malformed-signature',
    ],
  ],
  ['knows no duplicates', { claim: async () => true }, ['duplicate', 'duplicate-at-once']],
  ['refuses duplicates', { repeated: 409 }, ['duplicate']],
  [
    'looks for duplicates and notes them in two steps',
    {
      claim: async (id, seen) => {
        const isNew = !seen.has(id);
        await delay(150); // on a busy machine two requests are not sent within less
        seen.add(id);
        return isNew;
      },
    },
    ['duplicate-at-once'],
  ],
  ['refuses unknown event types', { handle: (event) => (event === 'booking.created' ? 204 : 404) }, ['unknown-event']],
  [
    'refuses unknown fields',
    { handle: (_, body) => ('hookwright_new_field' in parsed(body) ? 422 : 204) },
    ['unknown-field'],
  ],
  [
    'has a limit of 100 kB',
    { early: (headers) => (Number(headers['content-length']) > 100_000 ? 413 : undefined) },
    ['one-mib'],
  ],
  [
    'reads the body as Latin-1',
    {
      signed: (body) => Buffer.from(body.toString('latin1'), 'utf8'),
    },
    ['utf-8'],
  ],
  [
    'reads the first chunk alone',
    {
      read: async (request) => {
        for await (const chunk of request.iterator({ destroyOnReturn: false })) {
          request.resume();
          return chunk as Buffer;
        }
        return Buffer.alloc(0);
      },
    },
    ['one-mib', 'slow-body'],
  ],
  ['answers GET with 200', { answersGet: 200 }, ['get']],
  [
    'claims the id before it verifies',
    {
      early: (headers, seen) => {
        const id = `early ${headers['webhook-id']}`;
        const isRepeated = seen.has(id);
        seen.add(id);
        return isRepeated ? 204 : undefined;
      },
    },
    ['other-scheme-alone', 'forged-first', 'cut'],
  ],
  ['takes rising ids alone', { handle: risingAlone() }, ['reordered']],
  ['answers bad signatures with 500', { refuses: 500 }, REFUSALS],
  ['takes too long', { delayMs: 300 }, ['good']],
];

function risingAlone(): Parts['handle'] {
  let last = 0;
  return (_event, _body, headers) => {
    const isRising = Number(headers['webhook-id']) > last;
    last = Math.max(last, Number(headers['webhook-id']));
    return isRising ? 204 : 409;
  };
}

describe('hookwright test-receiver', () => {
  it('finds nothing to complain of in a good receiver', async () => {
    expect(await examine({})).toMatchObject({ failed: [], warning: [], skipped: [] });
    expect(await examine({ method: 'PUT' }, { method: 'PUT' })).toMatchObject({ failed: [], warning: [], skipped: [] });
    await expect(examine({ method: 'PUT' })).rejects.toThrow('answers POST with 405');
  });

  let found: { failed: string[] }[];
  beforeAll(async () => {
    found = await Promise.all(
      BAD.map(([, changes]) => examine(changes, changes.delayMs === undefined ? {} : { timeout: 0.1 })),
    );
  }, 180_000);

  it.each(BAD)('finds a receiver that %s', (name, _changes, foundBy) => {
    expect(found[BAD.findIndex(([other]) => other === name)]!.failed).toEqual(foundBy);
  });

  it('warns where each answer closes its connection', async () => {
    expect(await examine({ closes: true })).toMatchObject({ failed: [], warning: ['keep-alive'] });
  });

  it('prints verdicts and remedies, writes JUnit, and says by its exit code how it ended', {
    timeout: 60_000,
  }, async () => {
    using receiver = await startReceiver(secret, { isRecent: () => true });
    const report = join(temporaryFolder(), 'report.xml');
    const args = ['test-receiver', receiver.url, '--secret', secret];
    const { code, output } = await runProgram([...args, '--junit', report], {});
    expect(code).toBe(1);
    expect(output).toMatch(/✗ 6 minutes old .* it was taken\n {6}→ Refuse a timestamp more than 300 seconds/);
    expect(output).toMatch(/\n\n28 passed, 2 failed, 2 skipped\n$/);
    expect(readFileSync(report, 'utf8')).toMatch(
      /tests="32" failures="2" skipped="2"[\s\S]*classname="hookwright\.too-old" time="\d+\.\d{3}"><failure message="/,
    );
    using good = await startReceiver(secret);
    const json = await runHere(['test-receiver', good.url, '--json'], { WEBHOOK_SECRET: secret });
    expect(json.code).toBe(0);
    expect(JSON.parse(json.output)).toMatchObject({ passed: true, scheme: 'standard', cases: { length: 32 } });
  });

  it.each([
    [['http://127.0.0.1:1/', '--secret', secret], 'Nothing listens at http://127.0.0.1:1. Start your receiver'],
    [
      ['127.0.0.1:1', '--secret', secret],
      'The address of the receiver is "127.0.0.1:1"; it must be a URL that begins with http',
    ],
    [['http://127.0.0.1:1/', '--secret', 'whsec_x'], 'Not a signing secret'],
    [['http://127.0.0.1:1/'], 'Give the secret of the receiver with --secret whsec_… or in WEBHOOK_SECRET.'],
  ])('ends with 2 where nothing can be tested: %j', async (args, sentence) => {
    const { code, errors } = await runHere(['test-receiver', ...args], {});
    expect(code).toBe(2);
    expect(errors).toContain(sentence);
  });

  it('shows what the receiver says when it refuses a good delivery', async () => {
    const answer = '{"reason":"BODY_PARSED",\n "message":"Move the route above app.use(express.json())"}';
    const server = await openServer(createServer((_request, response) => response.writeHead(500).end(answer)));
    const outcomes = await examineReceiver(`http://127.0.0.1:${server.port}/`, { secret, pauseFactor: 0.1 });
    await server.close();
    expect(outcomes.find(({ id }) => id === 'good')!.detail).toMatch(/^500 in \d+ ms: .*BODY_PARSED.*above app\.use/);
  });

  it('takes a status for the answer, as the service does, also where the body has no end', async () => {
    const server = await openServer(createServer((_request, response) => response.writeHead(200).write('.')));
    const [good] = await examineReceiver(`http://127.0.0.1:${server.port}/`, {
      secret,
      pauseFactor: 0.1,
      timeout: 0.2,
    });
    await server.close();
    expect(good).toMatchObject({ id: 'good', verdict: 'passed' });
  });

  it('says what may be the cause where a good delivery is refused', async () => {
    using receiver = await startReceiver(formatSecret(Buffer.alloc(33, 8)));
    const outcomes = await examineReceiver(receiver.url, { secret, pauseFactor: 0.1 });
    expect(outcomes.filter(({ verdict }) => verdict !== 'skipped')).toEqual([
      expect.objectContaining({ id: 'good', remedy: expect.stringMatching(/^Is it the secret of this receiver/) }),
    ]);
    using silent = await startReceiver(secret, { delayMs: 300 });
    const [good] = await examineReceiver(silent.url, { secret, pauseFactor: 0.1, timeout: 0.1 });
    expect(good).toMatchObject({ verdict: 'failed', remedy: expect.stringMatching(/^Answer each request/) });
  });
});
