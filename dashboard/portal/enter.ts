import type { RouterHistory } from '@tanstack/react-router';
import { CodeRefused, exchangeCode, sessions } from '../api/session';
import { readPortalLink } from './links';

/**
 * Signs in with the one-time code of the address, `/portal/s/<public id>#<code>`, and takes it out of the address; else
 * with what this tab, or another one, has kept.
 *
 * @param waits is called when the service is away: then it is waited for
 * @returns why the code was refused, in the words of the service; undefined where there was none, or it was taken.
 */
export async function enter(history: RouterHistory, waits: () => void): Promise<string | undefined> {
  const link = readPortalLink(location.href, location.origin);
  if (link === null) {
    await sessions.restore();
    return undefined;
  }
  history.replace('/portal/');
  try {
    sessions.begin(await exchangeCode(link.path, link.code, waits), { keep: true });
    return undefined;
  } catch (error) {
    return error instanceof CodeRefused ? error.message : String(error);
  }
}
