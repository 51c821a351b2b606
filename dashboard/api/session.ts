/** Who is signed in on this page: a bearer token of the API, kept in memory. */
export interface Session {
  token: string;
  /** When the token ends; null for a key that does not. */
  expiresAt: Date | null;
}

/** Why nobody is signed in (any more). `refused`: the API does not take the token: revoked, or never valid. */
export type SignedOut = 'nobody' | 'expired' | 'refused' | 'left';

type Standing = { session: Session } | { session: null; why: SignedOut };

const STORAGE_KEY = 'hookwright.session';

/**
 * Holds the session of this page. It lives in memory; `keep` also puts it into `sessionStorage`, so that a reload
 * of the same tab finds it. Never a cookie, never localStorage: frames on other sites work, and CSRF cannot.
 */
class SessionStore {
  #standing: Standing = { session: null, why: 'nobody' };
  #listeners = new Set<() => void>();

  /** What useSyncExternalStore asks for: the same object until something changes. */
  read = (): Standing => this.#standing;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  begin(session: Session, { keep }: { keep: boolean }): void {
    if (keep) {
      stored((storage) =>
        storage.setItem(
          STORAGE_KEY,
          JSON.stringify({ ...session, expiresAt: session.expiresAt?.toISOString() ?? null }),
        ),
      );
    }
    this.#change({ session });
  }

  end(why: SignedOut): void {
    stored((storage) => storage.removeItem(STORAGE_KEY));
    if (this.#standing.session !== null || this.#standing.why !== why) {
      this.#change({ session: null, why });
    }
  }

  /** Takes up what an earlier load of this tab has kept; false where there is nothing that still lives. */
  restore(): boolean {
    const text = stored((storage) => storage.getItem(STORAGE_KEY));
    if (typeof text !== 'string') {
      return false;
    }
    try {
      const { token, expiresAt } = JSON.parse(text) as { token: string; expiresAt: string | null };
      const session = { token, expiresAt: expiresAt === null ? null : new Date(expiresAt) };
      if (session.expiresAt !== null && session.expiresAt.getTime() <= Date.now()) {
        this.end('expired');
        return false;
      }
      this.#change({ session });
      return true;
    } catch {
      return false;
    }
  }

  #change(standing: Standing): void {
    this.#standing = standing;
    for (const listener of this.#listeners) {
      listener();
    }
  }
}

/** A frame on another site may be denied its storage: then nothing is kept. */
function stored<T>(use: (storage: Storage) => T): T | undefined {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}

export const sessions = new SessionStore();

/** An exchange of a one-time code that the service has refused, in its words. */
export class CodeRefused extends Error {}

/**
 * Exchanges a one-time code for a token: `POST /portal/s/<public id>` or `POST /console/sign-in`.
 *
 * @throws CodeRefused when the code is unknown, used or too old.
 */
export async function exchangeCode(path: string, code: string): Promise<Session> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (!response.ok || typeof answer['token'] !== 'string') {
    throw new CodeRefused(String(answer['detail'] ?? answer['title'] ?? response.statusText));
  }
  const expiresAt = answer['expiresAt'];
  return { token: answer['token'], expiresAt: typeof expiresAt === 'string' ? new Date(expiresAt) : null };
}
