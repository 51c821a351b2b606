import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireCompatibilityInstalled, skipsCompatibilityTests } from '../support/compatibility.js';
import { emitMany, makeWebhook } from '../support/factories.js';
import { gid } from '../support/ids.js';
import { serve } from '../support/loopback.js';
import { RelayApp, RelayClient } from '../support/relay-client.js';
import { RestApi } from '../support/rest-api.js';
import { postGraphql } from '../support/served-api.js';

/** An application with a list of deliveries of a webhook, which grows when its reader scrolls. */
const source = `
import { graphql } from 'relay-runtime';
graphql\`
  query AppQuery($id: ID!) {
    viewer { tenant { id databaseId name } apiKey { id databaseId name } }
    webhook(id: $id) { id databaseId url ...App_deliveries }
  }
\`;
graphql\`
  fragment App_deliveries on Webhook
    @refetchable(queryName: "AppDeliveriesQuery")
    @argumentDefinitions(count: {type: "Int", defaultValue: 2}, cursor: {type: "String"}) {
    deliveries(first: $count, after: $cursor) @connection(key: "App_deliveries") {
      edges { node { id status eventId event { id } } }
    }
  }
\`;
`;

let api: RestApi;
let origin: string;
let app: RelayApp;
let webhookId: number;
let events: string[];

/** Asks over HTTP, with the key of the tenant. */
async function send(query: string, variables: object): Promise<never> {
  const { status, data, errors } = await postGraphql(origin, api.tenant.key, { query, variables });
  expect({ status, errors }).toEqual({ status: 200, errors: [] });
  return { data } as never;
}

describe.skipIf(skipsCompatibilityTests())('Relay', () => {
  beforeAll(requireCompatibilityInstalled);
  beforeAll(async () => {
    app = await RelayApp.compile(source);
    api = await RestApi.open();
    origin = `http://127.0.0.1:${await serve(api.server)}`;
    webhookId = (await makeWebhook(api.services, api.tenant.id)).id;
    events = (await emitMany(api.services, api.tenant.id, 5)).sort((a, b) => b - a).map(gid.event);
  }, 120_000);
  afterAll(() => api?.[Symbol.asyncDispose]());

  test('pages the deliveries of a webhook with a query that it makes itself, by the id of the webhook', async () => {
    const client = new RelayClient(send);
    const fragment = app.fragment('App_deliveries');
    const { webhook } = await client.ask(app.query('AppQuery'), { id: gid.webhook(webhookId) });
    const eventIds = () => {
      const { deliveries } = client.read(fragment, webhook) as {
        deliveries: { edges: { node: { eventId: string; event: { id: string } } }[] };
      };
      return deliveries.edges.map(({ node }) => {
        expect(node.event.id).toBe(node.eventId);
        return node.eventId;
      });
    };
    expect(eventIds()).toEqual(events.slice(0, 2));
    await client.loadNext(fragment, webhook, 2);
    expect(eventIds()).toEqual(events.slice(0, 4));
    await client.loadNext(fragment, webhook, 2);
    expect(eventIds()).toEqual(events);
  });

  test('keeps a tenant, a key and a webhook of number 1 apart in its store', async () => {
    const client = new RelayClient(send);
    const data = await client.ask(app.query('AppQuery'), { id: gid.webhook(webhookId) });
    expect(data).toMatchObject({
      viewer: {
        tenant: { id: 'tn_1', databaseId: 1, name: expect.stringContaining('tenant') },
        apiKey: { id: 'key_1', databaseId: 1, name: 'test' },
      },
      webhook: { id: 'wh_1', databaseId: 1, url: 'https://receiver.example.com/' },
    });
    expect(['tn_1', 'key_1', 'wh_1'].map((id) => client.typeOf(id))).toEqual(['Tenant', 'ApiKey', 'Webhook']);
  });
});
