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
  throw new Error(
    `No seeded installation that runs answers at ${url}. Start one with: npm run pictures -- --serve`,
  );
}

async function takes(url: string, key: string): Promise<boolean> {
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ viewer { scopes } }' }),
  });
  return answer.ok;
}
