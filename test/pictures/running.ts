import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Installation } from './installation.js';

const PREFIX = 'hookwright-installation-';

/**
 * Leaves word of a seeded installation that is kept running, for `runningBehind`. Its keys are worth nothing: the data are
 * made up.
 *
 * @returns a function that takes it back
 */
export function announce(installation: Installation): () => void {
  const file = join(tmpdir(), `${PREFIX}${new URL(installation.origin).port}.json`);
  writeFileSync(file, JSON.stringify(installation), { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

/** The installation that answers there. @throws Error when none that was announced does */
export async function runningBehind(url: string): Promise<Installation> {
  const files = readdirSync(tmpdir())
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => join(tmpdir(), name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const file of files) {
    const installation = JSON.parse(readFileSync(file, 'utf8')) as Installation;
    if (await takes(url, installation.keys.platform)) {
      return installation;
    }
  }
  throw new Error(`No seeded installation that runs answers at ${url}. Start one with: npm run pictures -- --serve`);
}

/** Makes a portal session of the main tenant that may do everything. @returns its url */
export async function portalLink(at: string | undefined): Promise<string> {
  if (at === undefined) {
    throw new Error('--link needs --at <url>: where the seeded installation is.');
  }
  const { keys, tenants } = await runningBehind(at);
  const query = `mutation ($input: CreatePortalSessionInput!) { createPortalSession(input: $input) { url } }`;
  const capabilities = ['VIEW', 'MANAGE_ENDPOINTS', 'SEE_SECRETS', 'SEND', 'BULK', 'MANAGE_KEYS'];
  const input = { tenantId: `${tenants[0]!.id}`, capabilities };
  const answer = await post(at, keys.platform, { query, variables: { input } });
  const { data, errors } = (await answer.json()) as {
    data?: { createPortalSession: { url: string } };
    errors?: unknown;
  };
  if (data === undefined || errors !== undefined) {
    throw new Error(`The service refused to make a portal session: ${JSON.stringify(errors)}`);
  }
  return data.createPortalSession.url;
}

/** The objects of the main tenant in its pictures. */
export interface Objects {
  /** A delivery that was made after several attempts. */
  delivery: string;
  /** An event that has arrived at some endpoints and waits for others. */
  event: string;
}

/** Finds the newest deliveries that show most. @param url where the service answers */
export async function tellingObjects(url: string, key: string): Promise<Objects> {
  const query = `{
    done: deliveries(first: 100, filter: { status: SUCCEEDED, webhookId: "wh_2" }) { ...few }
    open: deliveries(first: 100, filter: { status: PENDING }) { ...few }
  }
  fragment few on DeliveryConnection { edges { node { databaseId eventId attemptCount } } }`;
  type Few = { edges: { node: { databaseId: number; eventId: string; attemptCount: number } }[] };
  const { data } = (await (await post(url, key, { query })).json()) as { data: { done: Few; open: Few } };
  const mostTried = ({ edges }: Few) =>
    edges.map(({ node }) => node).sort((a, b) => b.attemptCount - a.attemptCount)[0]!;
  return { delivery: `${mostTried(data.done).databaseId}`, event: mostTried(data.open).eventId };
}

const takes = async (url: string, key: string) => (await post(url, key, { query: '{ viewer { scopes } }' })).ok;

function post(url: string, key: string, body: object): Promise<Response> {
  return fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}
