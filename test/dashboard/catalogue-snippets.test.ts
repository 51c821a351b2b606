import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { emitSnippets, receivedRequest } from '../../dashboard/screens/catalogue/snippets.js';

const sample = `{ "name": "O'Neill", "note": "$(id) \`id\` \\\\ \\n" }`;

test('the curl command gives a shell exactly the sample, whatever is in it', () => {
  const [curl] = emitSnippets('https://hooks.example.com', 'order.paid', sample);
  const command = (curl?.text ?? '').replace('curl -sS', 'printf "%s\\0"');
  const words = execFileSync('sh', ['-c', command], { encoding: 'utf8' }).split('\0');
  expect(words[0]).toBe('https://hooks.example.com/graphql');
  expect(JSON.parse(words[6] ?? '').variables.input).toEqual({
    eventType: 'order.paid',
    payload: JSON.parse(sample),
  });
});

test('what an endpoint gets has the sample as its body, on one line', () => {
  const text = receivedRequest('order.paid', '{\n  "id": "A1"\n}');
  expect(text).toContain('X-Service-Event: order.paid');
  expect(text).toMatch(/\n\n\{"id":"A1"\}\n$/);
});
