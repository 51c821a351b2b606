interface WaysIn {
  /** The OpenID provider: its name, and where signing in begins. */
  oidc: { name: string; url: string } | null;
  /** Whether this browser has a session, in a cookie that no script can read. */
  isSignedIn: boolean;
}

let asked: Promise<WaysIn> | undefined;

/** How people sign in here, beside keys. It is read once: it changes with a start of the service alone. */
export const waysIn = (): Promise<WaysIn> => (asked ??= ask());

async function ask(): Promise<WaysIn> {
  try {
    const response = await fetch('/console/oidc');
    if (response.ok) {
      return (await response.json()) as WaysIn;
    }
  } catch {
    // The service cannot be reached, which signing in with a key will say.
  }
  return { oidc: null, isSignedIn: false };
}
