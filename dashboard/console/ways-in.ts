import { BASE } from '../api/base';
import { untilAnswered } from '../api/passing';

export interface WaysIn {
  /** The OpenID provider: its name, and where signing in begins. */
  oidc: { name: string; url: string } | null;
  /** Whether this browser has a session, in a cookie that no script can read. */
  isSignedIn: boolean;
  /** The file with the key of the first start, beside the service. Null where there is none. */
  keyFile: string | null;
  /** How people beside the service call its program. */
  program: string;
}

let asked: Promise<WaysIn> | undefined;

/**
 * How people sign in here, beside keys. It is read once: it changes with a start of the service alone.
 *
 * @param waits is called when the service is away: then it is waited for
 */
export const waysIn = (waits: () => void = () => {}): Promise<WaysIn> => (asked ??= ask(waits));

async function ask(waits: () => void): Promise<WaysIn> {
  const response = await untilAnswered(() => fetch(`${BASE}/console/oidc`), waits);
  const none = { oidc: null, isSignedIn: false, keyFile: null, program: 'hookwright' };
  // A proxy may answer with a page of its own.
  return response.ok ? ((await response.json().catch(() => none)) as WaysIn) : none;
}
