import { SQL_STATE, sqlStateOf } from './driver/sql-state.js';

const ESCAPES = '%25 for %, %23 for #, %2F for /, %3F for ?, %40 for @';

/** Processes have pools themselves, and keep state in their sessions (docs/install.md, "Postgres"). */
export const POOLER_ADVICE = 'A connection pooler stands between: name Postgres itself in DATABASE_URL, without one.';

export const TOO_MANY_CONNECTIONS_ADVICE = 'Raise max_connections, lower DATABASE_POOL_MAX, or run fewer processes.';

/** Advice by the code of Node, of OpenSSL or of Postgres. */
const advice: Record<string, string> = {
  ENOTFOUND: "Is the host's name right?",
  EAI_AGAIN: "Is the host's name right, and does this machine reach a DNS server?",
  ECONNREFUSED: 'Is Postgres running there, and are host and port right?',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'The certificate is for another name: name the server in DATABASE_URL as its certificate does, or give it one for ' +
    'this name. To verify its CA alone, write sslmode=verify-ca&uselibpqcompat=true.',
  CERT_HAS_EXPIRED: 'Give the server a new certificate. Is the clock of this machine right?',
  CERT_NOT_YET_VALID: 'Is the clock of this machine right?',
  [SQL_STATE.INVALID_PASSWORD]: `Are user and password right? Special characters in them are written ${ESCAPES}.`,
  [SQL_STATE.LOGIN_REFUSED]: "Are user and database right, and does the server's pg_hba.conf let them in from here?",
  [SQL_STATE.DATABASE_MISSING]: 'Make it first (createdb), or name another.',
  [SQL_STATE.TOO_MANY_CONNECTIONS]: TOO_MANY_CONNECTIONS_ADVICE,
  [SQL_STATE.STARTING_OR_ENDING]: 'Try again in a moment.',
};

/** In place of a message about SCRAM. */
const NO_PASSWORD = 'the server wants a password, and DATABASE_URL has none';

/** Advice by the words of the reason, for errors without a code. */
const adviceByWords: [RegExp, string][] = [
  [
    /wants a password/,
    `Write it behind the user's name: postgres://user:password@host/database. Special characters in it are written ${ESCAPES}.`,
  ],
  [/does not support SSL/, 'Take sslmode out of the url, or turn ssl on in the server.'],
  [/ open '/, 'Name files that exist, and that this user may read, in sslrootcert, sslcert and sslkey.'],
  [/certificate/i, "Name the file of the CA that signed the server's certificate: sslrootcert=<file>."],
  [/startup parameter/, POOLER_ADVICE],
  [/timeout|ETIMEDOUT|UNREACH/i, 'Are host and port right, and does no firewall stand between?'],
];

/**
 * Why no connection to the database of DATABASE_URL was possible, and what to do. It may name host, user and database,
 * as the driver does, but never the url, which has a password.
 */
export function connectionTrouble(error: unknown): Error {
  const reason = reasonOf(error);
  const code = sqlStateOf(error);
  const [, byWords = 'Is DATABASE_URL right?'] = adviceByWords.find(([words]) => words.test(reason)) ?? [];
  const sentence = `The database of DATABASE_URL cannot be reached: ${reason}. ${advice[code] ?? byWords}`;
  return new Error(sentence, { cause: error });
}

/** A host with several addresses fails with one error for each, inside an error without a message. */
function reasonOf(error: unknown): string {
  const { message, errors, code } = error as Error & { errors?: unknown[]; code?: unknown };
  const text = message || errors?.map(reasonOf).join('; ') || String(code ?? 'no reason is known');
  return /client password must be a/.test(text) ? NO_PASSWORD : text.replace(/\.$/, '');
}
