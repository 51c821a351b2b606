import pg from 'pg';
import { type Logger, pino } from 'pino';

/**
 * No signing secret, no API key and no private key may stand anywhere in the clear: not in the database, job payloads
 * included, not in a log, not in the answer to a failed request. Every file of tests is searched for them when it gives
 * its database back, so this is not one test but a property of all of them.
 */
const SECRET = 'whsec_[A-Za-z0-9+/]{44}';
const API_KEY = 'hw_[0-9]+_[A-Za-z0-9]{40,}';
const PRIVATE_KEY = '-----BEGIN [A-Z ]*PRIVATE KEY-----';
/** The same in Postgres' text of bytea: `whsec_`, `hw_` with a digit, and `PRIVATE KEY-----`. */
const IN_HEX = '77687365635f([0-9a-f]{2}){44}|68775f3[0-9]([0-9a-f]{2}){40}|50524956415445204b45592d2d2d2d2d';

const plaintext = new RegExp(`${SECRET}|${API_KEY}|${PRIVATE_KEY}`);
const found: string[] = [];

const hidden = (text: string) => text.replaceAll(new RegExp(plaintext, 'g'), (secret) => `${secret.slice(0, 8)}…`);

/** Notes a text that holds a secret or a key. */
export function watchPlaintext(where: string, text: string): void {
  if (plaintext.test(text)) {
    found.push(`${where}: ${hidden(text).slice(0, 500)}`);
  }
}

/** A log at its most talkative, of which every line is searched. TEST_LOG_LEVEL shows it. */
export function watchedLog(): Logger {
  const shown = process.env['TEST_LOG_LEVEL'];
  return pino(
    { level: shown ?? 'trace' },
    {
      write(line: string) {
        watchPlaintext('log', line);
        if (shown !== undefined) {
          process.stdout.write(line);
        }
      },
    },
  );
}

/**
 * Searches all tables of a test database, those of graphile-worker included.
 *
 * @throws Error with every place where a secret or key is in the clear, there or in what was watched before
 */
export async function requireNoPlaintext(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: '-c row_security=on' });
  await client.connect();
  try {
    // Most partitions are empty: a look at a file's size is cheaper than a scan.
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname in ('hookwright', 'hookwright_jobs') and c.relkind = 'r' and pg_relation_size(c.oid) > 0`,
    );
    const searches = tables.map(
      ({ name }) => `(select '${name}' as name, t::text as row from ${name} t where t::text ~ $1 limit 3)`,
    );
    const { rows } = await client.query<{ name: string; row: string }>(searches.join(' union all '), [
      `${SECRET}|${API_KEY}|${PRIVATE_KEY}|${IN_HEX}`,
    ]);
    found.push(...rows.map(({ name, row }) => `${name}: ${hidden(row).slice(0, 500)}`));
  } finally {
    await client.end();
  }
  const places = found.splice(0);
  if (places.length > 0) {
    throw new Error(`Secrets or keys are in the clear:\n${places.join('\n')}`);
  }
}
