import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { BUILT_FOLDER } from '../../src/api/dashboard/pages.js';
import { PLATFORM_ADMIN } from '../../src/domain/keys/scopes.js';
import { browserTest } from '../support/browser/browser-test.js';
import { DashboardSite } from '../support/dashboard-site.js';
import { makeKey, makeTenant, type TestTenant } from '../support/factories.js';

/** The log says each change in the words of the forms, and no secret. */

let site: DashboardSite;
let tenant: TestTenant;
let platformKey: string;
const SECRET = 'token-that-nobody-may-see';

beforeAll(async () => {
  site = await DashboardSite.open({
    folder: BUILT_FOLDER,
    fill: async (services) => {
      tenant = await makeTenant(services);
      platformKey = (await makeKey(services, null, [PLATFORM_ADMIN])).key;
    },
  });
  await changeAll();
});
afterAll(() => site[Symbol.asyncDispose]());

/** Each option of an endpoint, its secret and its state; then other objects. */
async function changeAll(): Promise<void> {
  const run = async (name: string, input: object, selection: string, key = tenant.key) => {
    const type = `${name[0]!.toUpperCase()}${name.slice(1)}Input`;
    const mutation = `mutation ($input: ${type}!) { ${name}(input: $input) { ${selection} } }`;
    const { data, errors } = await site.ask(mutation, { input }, key);
    expect(errors).toEqual([]);
    return data[name];
  };
  const { webhook } = await run(
    'createWebhook',
    { url: 'https://a.example.com/', eventTypes: ['coupon.applied'] },
    'webhook { id }',
  );
  const { id } = webhook;
  const change = (input: object) => run('updateWebhook', { id, ...input }, 'webhook { id }');
  await change({ url: 'https://b.example.com/', eventTypes: ['*'], name: 'Shop' });
  await change({
    delivery: { timeoutMs: 20_000, retryDelaysSeconds: [5, 120, 3_600], ratePerSecond: 2, method: 'PUT' },
  });
  await change({ delivery: { recovery: 'AUTOMATIC', concurrencyMax: 3, auth: { bearer: SECRET } } });
  await change({ delivery: { auth: { bearer: `${SECRET}-2` } } });
  await change({ delivery: { setHeaders: [{ name: 'X-Team', value: 'a' }] } });
  await change({ content: { filter: { field: { path: 'code', op: 'STARTS_WITH', value: 'SUMMER' } } } });
  await change({ content: { format: 'SLACK' }, ordering: { by: 'KEY', onFailure: 'BLOCK' } });
  await change({ active: false });
  await change({ active: true, held: 'DISCARD' });
  await run('rotateWebhookSecret', { id, overlapHours: 2 }, 'secret');
  await run('createApiKey', { name: 'ci', scopes: ['events:emit'] }, 'key');
  const limits = { eventsPerSecond: 50, requestsPerSecond: 5, requestsAtOnce: 2, endpointsMax: 9, bodyBytesMax: 2_000 };
  await run('updateTenant', { id: `tn_${tenant.id}`, limits }, 'tenant { id }', platformKey);
  await run('deleteWebhook', { id }, 'deletedWebhookId');
}

async function changesIn(page: Page, language: string): Promise<string[]> {
  const session = JSON.stringify({ token: tenant.key, expiresAt: null });
  await page.addInitScript(`sessionStorage.setItem('hookwright.portal-session', ${JSON.stringify(session)})`);
  await page.goto(`/portal/audit?locale=${language}`);
  const rows = page.getByRole('table').locator('tbody tr');
  await rows.nth(10).waitFor();
  return rows.locator(`td:nth-child(3)`).allInnerTexts();
}

browserTest('a change is said as "before → after", in the words of the forms', async ({ open }) => {
  const { page } = await open({ origin: site.origin });
  const changes = await changesIn(page, 'en');
  const expected = [
    /URL: https:\/\/a\.example\.com\/ → https:\/\/b\.example\.com\//,
    /Event types: coupon\.applied → All event types/,
    /Name: not set → Shop/,
    /Timeout: .+ → 20 s/,
    /Recovery: .+ → automatic/,
    /Authentication: changed/,
    /Filter: not set → code starts with SUMMER/,
    /Format of events: .+ → Slack message/,
    /In order: .+ → Deliveries with the same key/,
    /After a failure: .+ → The key stops/,
    /State: active → inactive/,
    /Held deliveries: canceled/,
    /Overlap: 2 hr/,
    /Permissions: events:emit/,
    /Requests a second: not set → 5/,
    /Bytes of a payload: not set → /,
  ];
  for (const words of expected) {
    expect(changes.join('\n')).toMatch(words);
  }
  expect(changes.join('\n')).not.toContain(SECRET);
  // Names as programs have them: `retryDelaysSeconds`, `by_key`, STARTS_WITH.
  expect(changes.filter((text) => /\b[a-z]+[A-Z][a-z]+|\b[A-Z]+_[A-Z]+\b/.test(text))).toEqual([]);
});

browserTest('in German it has no word of English or of programs', async ({ open }) => {
  const { page } = await open({ origin: site.origin });
  const changes = (await changesIn(page, 'de')).join('\n');
  for (const words of [
    'Status: aktiv → inaktiv',
    'Anmeldung: geändert',
    'Alle Ereignistypen',
    'Ereignisse pro Sekunde: nicht gesetzt → 50',
    'Filter: nicht gesetzt → ',
  ]) {
    expect(changes).toContain(words);
  }
  expect(changes).not.toMatch(/\b(?:none|changed|active|inactive|automatic|Timeout:.*seconds)\b/);
});
