import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { deliveryRequest } from '../../src/domain/deliveries/delivery-request.js';
import { secretKeys } from '../../src/domain/signing/secret.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** The code in docs/interface.md that receivers are given. */
function codeIn(language: string): string {
  const page = readFileSync('docs/interface.md', 'utf8');
  return page.split(`\n\`\`\`${language}\n`)[1]!.split('\n```\n')[0]!;
}

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g';
const ROTATED = 'whsec_AQECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g';

interface Case {
  body: string;
  headers: Record<string, string>;
  secret: string;
}

function signed(at = new Date()): Case {
  const request = deliveryRequest({
    deliveryId: 1_769_851_800_123,
    eventType: 'booking.created',
    body: '{"booking_code":"A/1","brand":"é🎫"}',
    keys: { current: secretKeys(SECRET), previous: null },
    at,
    headerPrefix: 'X-Service',
    standardWebhooks: true,
    userAgent: 'Hookwright/1',
  });
  return { body: request.body.toString(), headers: request.headers, secret: SECRET };
}

const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000);
function without(name: string): Case {
  const { headers, ...rest } = signed();
  return { ...rest, headers: Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name)) };
}

const cases: [name: string, one: () => Case, isGenuine: boolean][] = [
  ['just signed', () => signed(), true],
  ['signed 290 s ago', () => signed(secondsAgo(290)), true],
  ['signed 310 s ago', () => signed(secondsAgo(310)), false],
  ['signed in 310 s', () => signed(secondsAgo(-310)), false],
  ['with another body', () => ({ ...signed(), body: '{"booking_code":"A/2","brand":"é🎫"}' }), false],
  ['with another secret', () => ({ ...signed(), secret: ROTATED }), false],
  ['without a signature', () => without('X-Service-Signature'), false],
  ['without a timestamp', () => without('X-Service-Timestamp'), false],
];

describe('the code for receivers in docs/interface.md', () => {
  test('in JavaScript takes what is genuine, and nothing else', async () => {
    const file = join(temporaryFolder(), 'genuine.mjs');
    writeFileSync(file, `${codeIn('js')}\nexport { isGenuine };\n`);
    const { isGenuine } = await import(pathToFileURL(file).href);
    for (const [name, one, expected] of cases) {
      const { body, headers, secret } = one();
      // As node:http has them.
      const lower = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value]));
      expect(isGenuine(Buffer.from(body), lower, secret), name).toBe(expected);
    }
  });

  const hasPython = spawnSync('python3', ['-c', '']).status === 0;
  test.skipIf(!hasPython)('in Python takes what is genuine, and nothing else', () => {
    const ask =
      'import json, sys\n' +
      'print(json.dumps([is_genuine(c["body"].encode(), c["headers"], c["secret"]) for c in json.load(sys.stdin)]))';
    const { stdout, stderr } = spawnSync('python3', ['-c', `${codeIn('python')}\n${ask}`], {
      input: JSON.stringify(cases.map(([, one]) => one())),
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(cases.map(([, , expected]) => expected));
  });
});
