import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { holdAnswers } from '../support/receiver.js';
import { startTokenServer } from '../support/token-server.js';
import { good } from './support/endpoints.js';
import { sharedGround } from './support/ground.js';
import { Site } from './support/site.js';

const TEST_MS = 120_000;
/** How long a daemon may take for its question, and the time until another one has its jobs. */
const TAKEN_OVER_MS = 45_000;

const SET_AUTH = `mutation Set($id: ID!, $oauth2: OAuth2AuthInput!) {
  updateWebhook(input: { id: $id, delivery: { auth: { oauth2: $oauth2 } } }) { webhook { id } }
}`;

test('a daemon that is killed while it asks for a token keeps others from asking for seconds, and no attempt is lost', {
  timeout: TEST_MS,
}, async () => {
  await using site = await Site.open(await sharedGround(), { MAX_RETRIES: '0' });
  const id = await site.addWebhook('guarded', good);
  await using server = await startTokenServer();
  const oauth2 = { tokenUrl: server.url, clientId: 'hooks', clientSecret: 'secret' };
  await site.ask(SET_AUTH, { id: String(id), oauth2 });
  holdAnswers(server, server.give);
  const victim = await site.startDaemon();
  const load = site.load({ name: 'token', events: 20, ratePerSecond: 100 });
  await load.done;
  await eventually(() => server.received.length === 1, TAKEN_OVER_MS);
  const [lease] = await site.rows<{ until: Date }>('select fetching_until as until from hookwright.endpoint_tokens');
  const disturbance = await victim.kill();
  server.answerWith(server.give);
  await site.startDaemon();
  const findings = await site.judge([disturbance], TAKEN_OVER_MS);
  expect(findings.problems).toEqual([]);
  expect(findings).toMatchObject({ accepted: 20, lost: 0, byStatus: { SUCCEEDED: 20 }, duplicates: 0 });
  expect(server.received).toHaveLength(2);
  expect(server.received[1]!.at.getTime()).toBeGreaterThanOrEqual(lease!.until.getTime() - 100);
  const [failed] = await site.rows('select from hookwright.attempts where error_code is not null limit 1');
  expect(failed).toBeUndefined();
});
