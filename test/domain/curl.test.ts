import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { curlCommand } from '../../src/domain/deliveries/curl.js';
import { draws, fc } from '../support/properties.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { hasCurl, shell } from '../support/shell.js';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver?.close());

/** The command's arguments, or what comes through its pipe, as a shell understands them. */
async function understood(command: string): Promise<string[]> {
  const show = `curl() { for a; do printf '%s\\0' "$a"; done; case "$*" in *--data-binary*) cat;; esac; }\n`;
  return (await shell(show + command)).split('\0');
}

const hostile = [
  `{"a":"it's"}`,
  `{"a":"'; touch /tmp/pwned; '"}`,
  '{"a":"$(id) `id` $HOME \\\\ \\" !!"}',
  '{"a":"%s %n %%"}',
  '{\n  "a": "two lines"\n}\n',
  '@/etc/passwd',
  '-o/tmp/x',
  '{"a":"\u007f\u007f\u0085\u009b31m ü 😀 \u202e"}',
  `{"a":"${"'".repeat(3000)}"}`,
  '',
];

describe('a curl command', () => {
  test.each(hostile)('has the body %j, whatever it means to a shell', async (body) => {
    const args = await understood(curlCommand({ method: 'POST', url: 'https://a.example.com/', headers: {}, body }));
    expect(args.at(args.includes('--data-raw') ? -2 : -1)).toBe(body);
  });

  test('has any text as its url, headers and body', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 }).map((any) => any.replaceAll('\0', ''));
    await fc.assert(
      fc.asyncProperty(text, text, text, async (url, value, body) => {
        const args = await understood(curlCommand({ method: 'PATCH', url, headers: { 'x-a': value }, body }));
        expect(args.slice(0, 6)).toEqual(['--globoff', '--request', 'PATCH', url, '--header', `x-a: ${value}`]);
        expect(args.at(args.includes('--data-raw') ? -2 : -1)).toBe(body);
      }),
      draws(2),
    );
  });

  test('reads a hidden header from a variable, and the shell names it while it is not set', async () => {
    const name = "X-Api'Key`id`$HOME";
    const command = curlCommand({
      method: 'POST',
      url: 'https://a.example.com/',
      headers: { [name]: '[secret]' },
      body: '',
    });
    expect(await understood(`X_API_KEY_ID__HOME='it is "$secret"'\n${command}`)).toContain(`${name}: it is "$secret"`);
    expect(await shell(`(${command}) 2>&1 || true`)).toContain('X_API_KEY_ID__HOME');
  });

  test('lets no control character through to the terminal', () => {
    const command = curlCommand({
      method: 'POST',
      url: 'https://a.example.com/',
      headers: {},
      body: '{"a":"\u007f\u0085\u001b"}',
    });
    expect(command).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  test.runIf(hasCurl).each([...hostile, `{"a":"${'x'.repeat(262_000)}"}`])(
    'sends exactly the bytes and headers (%#)',
    async (body) => {
      receiver.received.length = 0;
      const general = { 'content-type': 'application/json', 'user-agent': 'Hookwright/1' };
      const headers = { ...general, accept: '*/*', 'accept-encoding': 'identity', 'X-Service-Signature': 'sha256=ab' };
      await shell(curlCommand({ method: 'PUT', url: `${receiver.url}?a=[1-3]&b={x,y}`, headers, body }));
      expect(receiver.received).toHaveLength(1);
      const [{ method, path, rawHeaders, body: bytes }] = receiver.received as [Receiver['received'][0]];
      expect(method).toBe('PUT');
      expect(path).toBe('/hook?a=[1-3]&b={x,y}');
      expect(bytes.toString()).toBe(body);
      const names = rawHeaders.filter((_, index) => index % 2 === 0);
      expect(names.sort()).toEqual([...Object.keys(headers), 'Host', 'Content-Length'].sort());
      expect(rawHeaders).toEqual(expect.arrayContaining(['sha256=ab', 'Hookwright/1', 'identity']));
    },
  );
});
