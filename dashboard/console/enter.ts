import { BASE } from '../api/base';
import { exchangeCode } from '../api/exchange-code';
import { sessions } from '../api/session';
import { waysIn } from './ways-in';

/** `/console/#code=<one-time code>`, as the service prints it when it starts. */
const CODE = /^#code=(.+)$/;
/** The reasons that the service puts into the address when a sign-in by OpenID Connect fails. */
const REFUSED = /^#sign-in=(\w+)$/;

/** Why somebody was not signed in: by the link of the start, in the words of the service; by the provider, a code. */
export type Refusal = { by: 'link'; words: string } | { by: 'provider'; why: string };

/**
 * Signs in with the one-time code of the address, which is taken out of it at once; else, and where the code is
 * refused, with what this tab or another one has kept, or with the cookie of a session.
 *
 * @param waits is called when the service is away: then it is waited for
 * @returns undefined where nothing was refused.
 */
export async function enter(waits: () => void): Promise<Refusal | undefined> {
  // A link that is opened where the console is open changes nothing but the fragment.
  window.addEventListener('hashchange', () => CODE.test(location.hash) && location.reload());
  const code = CODE.exec(location.hash)?.[1];
  const why = REFUSED.exec(location.hash)?.[1];
  if (code !== undefined || why !== undefined) {
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  const words = code === undefined ? undefined : await exchange(code, waits);
  if (sessions.read().session === null && !(await sessions.restore()) && (await waysIn(waits)).isSignedIn) {
    sessions.begin({ token: null, expiresAt: null }, { keep: false });
  }
  if (words !== undefined) {
    return { by: 'link', words };
  }
  return why === undefined ? undefined : { by: 'provider', why };
}

/** @returns why the code was refused; undefined where it was taken */
async function exchange(code: string, waits: () => void): Promise<string | undefined> {
  try {
    sessions.begin(await exchangeCode(`${BASE}/console/sign-in`, code, waits), { keep: true });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
