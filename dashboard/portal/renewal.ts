import { BASE } from '../api/base';
import { askWith } from '../api/client';
import { CodeRefused, exchangeCode } from '../api/exchange-code';
import type { ViewerQuery } from '../api/generated/graphql';
import { pageReload } from '../api/page-reload';
import { sessions } from '../api/session';
import { isFramed } from '../api/tab-storage';
import { VIEWER } from '../parts/viewer';
import { type PortalLink, placeIn, readPortalLink } from './links';
import { parentPage } from './parent-page';

type Viewer = ViewerQuery['viewer'];

/** So long before its end a session is renewed; one that lives for less than twice as long, when half of it is over. */
const EARLY_MS = 120_000;
/** How long an answer of the parent page is waited for. */
const ANSWER_MS = 15_000;
const AGAIN_MS = 5_000;
/** The parent page hears of it when a screen could not be loaded this often, and again. */
const FAILURES_TOLD = 2;

/**
 * Keeps a framed portal signed in: the parent page is asked for the link of another session. Its token takes the place
 * of the old one and the screens stay, as long as it is of the same tenant with the same rights. At top level nobody
 * can be asked, and the session ends when its time is over.
 */
class Renewal {
  #viewer: Viewer | undefined;
  #plannedFor: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asking: Promise<boolean> | undefined;
  #answer: (isRenewed: boolean) => void = () => {};

  start(): void {
    sessions.subscribe(this.#plan);
    this.#plan();
    if (isFramed) {
      sessions.renewBy(this.#ask);
      pageReload.loadBy(this.#reopen);
      pageReload.subscribe(this.#giveUp);
      parentPage.listen(({ type, url }) => {
        if (type === 'hookwright:session' && typeof url === 'string') {
          void this.#take(url);
        }
      });
    }
  }

  /** The session whose screens are shown. */
  show(viewer: Viewer): void {
    this.#viewer = viewer;
  }

  /** Loads the framed page again. Its address has no session, so the parent page is asked for a link. */
  #reopen = (): void => {
    if (sessions.token !== null) {
      parentPage.tell({ type: 'hookwright:renew' });
    }
  };

  #giveUp = (): void => {
    if (pageReload.failures() === FAILURES_TOLD) {
      parentPage.tell({ type: 'hookwright:ended', why: 'failed' });
    }
  };

  #plan = (): void => {
    const { session } = sessions.read();
    const token = session?.token ?? null;
    if (token === this.#plannedFor) {
      return;
    }
    this.#plannedFor = token;
    clearTimeout(this.#timer);
    const leftMs = (session?.expiresAt?.getTime() ?? Number.NaN) - Date.now();
    if (!Number.isNaN(leftMs)) {
      const earlyMs = isFramed ? Math.min(EARLY_MS, leftMs / 2) : 0;
      this.#timer = setTimeout(() => void this.#due(token), leftMs - earlyMs);
    }
  };

  async #due(token: string | null): Promise<void> {
    if (isFramed) {
      await this.#ask();
    }
    if (sessions.token !== token) {
      return;
    }
    const leftMs = (sessions.read().session?.expiresAt?.getTime() ?? 0) - Date.now();
    if (leftMs <= 0) {
      sessions.end('expired');
    } else {
      this.#timer = setTimeout(() => void this.#due(token), Math.min(leftMs, AGAIN_MS));
    }
  }

  /** @returns whether there is another token now */
  #ask = (): Promise<boolean> => {
    if (!parentPage.isKnown) {
      return Promise.resolve(false);
    }
    this.#asking ??= new Promise<boolean>((resolve) => {
      this.#answer = resolve;
      setTimeout(() => resolve(false), ANSWER_MS);
      parentPage.tell({ type: 'hookwright:renew' });
    }).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  };

  /** Leads the frame to a link. While the service is away the page stays: a frame that shows an error hears nobody. */
  async #open({ path, code }: PortalLink): Promise<void> {
    if ((await fetch(path)).ok) {
      const failures = pageReload.failures() + 1;
      parentPage.tell({ type: 'hookwright:opens', failures });
      location.replace(`${path}?failures=${failures}#${code}${placeIn(location, BASE)}`);
    }
  }

  /** A link that does not work is as good as none: the parent page is asked again. */
  async #take(url: string): Promise<void> {
    const link = readPortalLink(url, location.origin, BASE);
    if (link === null || link.isInvitation) {
      return;
    }
    try {
      if (pageReload.isWanted) {
        await this.#open(link);
        return;
      }
      const session = await exchangeCode(link.path, link.code);
      const { data } = await askWith(session.token, VIEWER);
      if (data === undefined) {
        return;
      }
      if (sessions.token !== null && this.#viewer !== undefined && isSame(this.#viewer, data.viewer)) {
        sessions.amend(session);
      } else {
        sessions.begin(session, { keep: false });
      }
      this.#answer(true);
    } catch (error) {
      if (!(error instanceof CodeRefused || error instanceof TypeError)) {
        throw error; // a TypeError of `fetch`: the service cannot be reached
      }
    }
  }
}

/** The same tenant with the same rights: what is shown, and offered, stays right. */
function isSame(one: Viewer, other: Viewer): boolean {
  const rights = ({ scopes }: Viewer) => [...scopes].sort().join(' ');
  return one.tenant?.id === other.tenant?.id && rights(one) === rights(other);
}

export const renewal = new Renewal();
