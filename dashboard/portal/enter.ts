import type { RouterHistory } from '@tanstack/react-router';
import { CodeRefused, exchangeCode, sessions } from '../api/session';

/**
 * Signs in with the one-time code of the address, `/portal/s/<public id>#<code>`, and takes it out of the address; else
 * with what this tab has kept.
 *
 * @returns why the code was refused, in the words of the service; undefined where there was none, or it was taken.
 */
export async function enter(history: RouterHistory): Promise<string | undefined> {
  const path = /^\/portal\/s\/[^/]+/.exec(location.pathname)?.[0];
  const code = location.hash.slice(1);
  if (path === undefined || code === '') {
    sessions.restore();
    return undefined;
  }
  history.replace('/portal/');
  try {
    sessions.begin(await exchangeCode(path, code), { keep: window.parent === window });
    return undefined;
  } catch (error) {
    if (error instanceof CodeRefused) {
      return error.message;
    }
    throw error;
  }
}
