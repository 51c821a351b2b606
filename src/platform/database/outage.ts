/** The detail when this process is closing its connections. */
export const ENDING = 'The service is ending; try again.';

/** The detail when Postgres does not let this service in. */
export const LOGIN_REFUSED = 'The database refuses the login of this service at the moment; try again.';

const UNREACHABLE = 'The database cannot be reached at the moment; try again.';

const NO_ANSWER = 'No answer of the database in time';
/** Messages for it, of the driver and ours. */
const SILENCE = new RegExp(`Query read timeout|${NO_ANSWER}`, 'i');

/** The error for work that was given up before Postgres has answered; nobody knows whether it takes effect. */
export const noAnswerInTime = (): Error => new Error(NO_ANSWER);

/** Why Postgres cannot serve now, by SQLSTATE, by code of the system, and by message of its driver. */
const outages: readonly [code: RegExp | null, message: RegExp | null, detail: string][] = [
  [/^(57014|HW016)$/, null, 'The database did not answer in time; try again.'],
  [
    null,
    SILENCE,
    'The database did not answer in time. A change may have been made: repeat an emit with its idempotencyKey.',
  ],
  [/^28/, null, LOGIN_REFUSED],
  [/^55P03$/, null, 'Another request has locked what this one needs; try again.'],
  [/^25006$/, null, 'The database takes no changes at the moment; try again.'],
  [/^53/, null, 'The database has no room at the moment (connections, memory or disk); try again.'],
  [/^58/, null, 'The database cannot read or write its files at the moment; try again.'],
  [
    // Of sessions that Postgres has ended or does not begin (25P03, 25P04, 55, 57, 3D000), and errors of connections,
    // also of the system: no more files, no route to the host.
    /^(08|25P0[34]$|5500[06]$|57000$|57P|3D000$|(ECONN|EHOST|ENET|EAI_|ERR_SSL_|ERR_TLS_)[A-Z0-9_]+$|E(PIPE|TIMEDOUT|NOTFOUND|PROTO|ADDRNOTAVAIL|MFILE|NFILE|NOBUFS|NOMEM)$)/,
    /Connection terminated|connection error|timeout exceeded when trying to connect|Client was closed/i,
    UNREACHABLE,
  ],
  [null, /Cannot use a pool after calling end/, ENDING],
];

/** @returns a sentence for the caller if the error means that Postgres cannot serve now, else null */
export function outageIn(error: unknown): string | null {
  for (const cause of causesOf(error)) {
    const { message } = cause;
    const code = String((cause as { code?: unknown }).code ?? '');
    const outage = outages.find(([codes, messages]) => codes?.test(code) || messages?.test(message));
    if (outage !== undefined) {
      return outage[2];
    }
    // Any other reason not to begin a session: this login may not use the database, or take the role of the API.
    if ((cause as { severity?: unknown }).severity === 'FATAL') {
      return LOGIN_REFUSED;
    }
  }
  return null;
}

/** An error with its causes: the ORM wraps those of the driver. */
function* causesOf(error: unknown): Generator<Error> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    yield cause;
  }
}

/** Whether Postgres said nothing, although it ends each statement that takes too long. */
export const isSilence = (error: unknown): boolean => [...causesOf(error)].some(({ message }) => SILENCE.test(message));

/** Whether the same request may succeed later. */
export const isDatabaseAway = (error: unknown): boolean => outageIn(error) !== null;

/** Whether a session was ended, or cannot begin. */
export const isUnreachable = (error: unknown): boolean => outageIn(error) === UNREACHABLE;
