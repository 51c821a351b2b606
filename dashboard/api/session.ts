import { BASE } from './base';
import { requireOwn } from './foreign-answer';
import { Observable } from './observable';
import { answerOtherTabs, askOtherTabs, canAnswer } from './other-tabs';
import { hearTime } from './service-time';
import { tabStorage } from './tab-storage';

/** The session of this page. */
export interface Session {
  /** A bearer token of the API, kept in memory; null: the browser sends a cookie, which no script can read. */
  token: string | null;
  /** When the token ends, by the clock of this machine; null for a key that does not. */
  expiresAt: Date | null;
  /** Where a person goes on when it is over. */
  returnUrl?: string | null;
}

/**
 * The reason why nobody is signed in. `refused`: the API refuses the token, which is revoked or was never valid. `moved`:
 * another cell has the tenant of the token (docs/cells.md).
 */
export type SignedOut = 'nobody' | 'expired' | 'refused' | 'left' | 'moved';

/** A session is known by its token; null: the one of the cookie. */
interface Ended {
  token: string | null;
  why: SignedOut;
}

/** `signIn` counts: it stays while a session is renewed, and a new one means that somebody else may be here. */
type SignInState = { session: Session; signIn: number } | { session: null; why: SignedOut; returnUrl: string | null };

/** The console and a portal that is opened in its tab each keep their own. */
const keptName = () => (location.pathname.startsWith(`${BASE}/portal`) ? 'portal-session' : 'session');

/**
 * Holds the session of this page. It lives in memory; `keep` also puts it into `sessionStorage`, so that a reload
 * of the same tab finds it. Scripts set no cookie and use no localStorage: frames on other sites work, and CSRF cannot.
 */
class SessionStore extends Observable {
  #state: SignInState = { session: null, why: 'nobody', returnUrl: null };
  #signIns = 0;
  #isKept = false;
  #stopAnswering: (() => void) | undefined;
  #renew: (() => Promise<boolean>) | undefined;

  /** useSyncExternalStore needs the same object until something changes. */
  read = (): SignInState => this.#state;

  begin(session: Session, { keep }: { keep: boolean }): void {
    this.#isKept = keep;
    this.#signIns += 1;
    this.#hold(session);
  }

  /** Changes the session of the person who is signed in: screens stay as they are. */
  amend(change: Partial<Session>): void {
    const { session } = this.#state;
    if (session !== null) {
      this.#hold({ ...session, ...change });
    }
  }

  /** Ends the session, in all tabs that have it. */
  end(why: SignedOut): void {
    if (this.#state.session !== null) {
      tellOtherTabs({ token: this.token, why });
    }
    this.#end(why);
  }

  /** Another tab has ended a session. */
  hearEnd = ({ token, why }: Ended): void => {
    if (this.#state.session !== null && this.token === token) {
      this.#end(why);
    }
  };

  #end(why: SignedOut): void {
    tabStorage.remove(keptName());
    this.#stopAnswering?.();
    this.#stopAnswering = undefined;
    const before = this.#state;
    if (before.session !== null || before.why !== why) {
      const returnUrl = before.session === null ? before.returnUrl : (before.session.returnUrl ?? null);
      this.#change({ session: null, why, returnUrl });
    }
  }

  /** Takes up what an earlier load of this tab, or another tab, has kept; false where there is nothing that still lives. */
  async restore(): Promise<boolean> {
    const text = tabStorage.read(keptName()) ?? (await askOtherTabs(keptName()));
    try {
      const kept = JSON.parse(text ?? '') as Session & { expiresAt: string | null };
      const expiresAt = kept.expiresAt === null ? null : new Date(kept.expiresAt);
      this.begin({ ...kept, expiresAt }, { keep: true });
    } catch {
      return false; // nothing is kept, or it is of another version
    }
    if (this.#isOver()) {
      this.end('expired');
      return false;
    }
    return true;
  }

  /**
   * @param renew gets another token for a session whose time is over, by `amend` or `begin`; false: there is none
   */
  renewBy(renew: () => Promise<boolean>): void {
    this.#renew = renew;
  }

  /**
   * The API has refused a token (null: the cookie), so the session ends, unless it has got, or now gets, another one.
   *
   * @returns whether a request that was refused may be made again
   */
  async refused(token: string | null): Promise<boolean> {
    if (this.token !== token || this.#state.session === null) {
      return this.token !== null;
    }
    const isOver = this.#isOver();
    if (isOver && (await this.#renew?.())) {
      return true;
    }
    if (this.token === token) {
      this.end(isOver || token === null ? 'expired' : 'refused');
    }
    return false;
  }

  /** Whether a reload of this tab finds the session. */
  get isKept(): boolean {
    return this.#isKept;
  }

  get token(): string | null {
    return this.#state.session?.token ?? null;
  }

  /** The service may say so a little earlier than this clock. */
  #isOver(): boolean {
    const expiresAt = this.#state.session?.expiresAt ?? null;
    return expiresAt !== null && expiresAt.getTime() - CLOCKS_DIFFER_MS <= Date.now();
  }

  #hold(session: Session): void {
    if (this.#isKept) {
      tabStorage.write(keptName(), JSON.stringify(session));
      this.#stopAnswering ??= canAnswer(keptName());
    }
    this.#change({ session, signIn: this.#signIns });
  }

  #change(state: SignInState): void {
    this.#state = state;
    this.changed();
  }
}

const CLOCKS_DIFFER_MS = 2_000;

export const sessions = new SessionStore();
const tellOtherTabs = answerOtherTabs<Ended>(tabStorage.read, sessions.hearEnd);

/**
 * `fetch` with the session's token. A refused token ends the page's session, so no screen has to check that. After that
 * nothing is sent: the answer is a 401 at once.
 */
export async function fetchSignedIn(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const { session } = sessions.read();
  if (session === null) {
    return new Response(null, { status: 401 });
  }
  const authorization = session.token === null ? {} : { authorization: `Bearer ${session.token}` };
  const headers: Record<string, string> = { ...(init.headers as Record<string, string>), ...authorization };
  const response = await fetch(input, { ...init, headers });
  await requireOwn(response);
  hearTime(response);
  // With a platform key it is about the tenant that the header names.
  if (response.status === 421 && !headers['hookwright-tenant']) {
    sessions.end('moved');
  }
  if (response.status === 401 && (await sessions.refused(session.token))) {
    return fetchSignedIn(input, init);
  }
  return response;
}

/**
 * Signs out. A session of the console ends for the service too; a pasted key, which has no end here, stays as it is.
 * Where a cookie holds the session, the browser goes on to where the person signs out of the OpenID provider, if that
 * has such a page.
 *
 * @throws Error when the service cannot be reached: then the session goes on
 */
export async function leave(): Promise<void> {
  const { session } = sessions.read();
  const token = session?.token ?? null;
  if (session === null || (token !== null && session.expiresAt === null)) {
    sessions.end('left');
    return;
  }
  const [path, headers] = token === null ? ['/oidc', {}] : ['', { authorization: `Bearer ${token}` }];
  const response = await fetch(`${BASE}/console${path}/sign-out`, { method: 'POST', headers });
  if (!response.ok && response.status !== 401) {
    throw new Error(response.statusText);
  }
  if (token !== null) {
    sessions.end('left');
    return;
  }
  const { url } = (await response.json()) as { url?: string | null };
  sessions.end('left');
  if (typeof url === 'string') {
    location.assign(url);
  }
}
