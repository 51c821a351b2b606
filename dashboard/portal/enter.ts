import type { RouterHistory } from '@tanstack/react-router';
import { isPortalPath } from '../../src/domain/portal/portal-paths';
import { BASE } from '../api/base';
import { CodeRefused, exchangeCode } from '../api/exchange-code';
import { pageReload } from '../api/page-reload';
import { sessions } from '../api/session';
import type { Refusal } from './link-refused';
import { readPortalLink } from './links';
import { parentPage } from './parent-page';

/** The pages that are shown before there is a session. */
interface Before {
  /** The service is away, and is waited for. */
  waits: () => void;
  /** Asks whether to open an invitation; resolves when the person wants it. */
  invites: () => Promise<void>;
}

/**
 * Signs in with the one-time code of the address, `/portal/s/<public id>#<code>`, and takes it out of the address; else
 * with what this tab, or another one, has kept.
 *
 * @returns why the code was refused; undefined where there was none, or it was taken.
 */
export async function enter(history: RouterHistory, { waits, invites }: Before): Promise<Refusal | undefined> {
  const link = readPortalLink(location.href, location.origin, BASE);
  if (link === null) {
    await sessions.restore();
    return undefined;
  }
  if (link.isInvitation) {
    await invites(); // until then the address stays, so that the page can be loaded again
  }
  pageReload.continueAfter(link.failures);
  const isPlace = isPortalPath(link.place);
  if (!isPlace) {
    parentPage.refuse(['path must be a path of the portal, such as /deliveries?status=FAILED']);
  }
  history.replace(`${BASE}/portal${isPlace ? link.place : '/'}`);
  try {
    sessions.begin(await exchangeCode(link.path, link.code, waits), { keep: true });
    return undefined;
  } catch (error) {
    const code = error instanceof CodeRefused ? error.code : undefined;
    return { code, isInvitation: link.isInvitation, text: error instanceof Error ? error.message : String(error) };
  }
}
