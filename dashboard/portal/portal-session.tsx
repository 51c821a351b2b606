import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useClient } from 'urql';
import { sessions } from '../api/session';
import { isTheme, offerTheme } from '../parts/theme';
import { useViewer, VIEWER } from '../parts/viewer';
import { isLanguageTag, setLocales } from '../text/language';
import { safeReturnUrl } from './links';
import { parentPage } from './parent-page';
import { renewal } from './renewal';
import { SessionEnd } from './session-end';

/** Shows the screens as the session, and then the parent page, want them; says when the session is about to end. */
export function PortalSession({ children }: { children: ReactNode }) {
  const viewer = useViewer();
  const { theme, locale, returnUrl, parentOrigins } = viewer.portalSession ?? {};
  const [looks, setLooks] = useState(false);
  useAnotherViewer();
  useEffect(() => {
    void look({ theme: theme?.toLowerCase(), locale }).then(() => setLooks(true));
  }, [theme, locale]);
  useEffect(() => {
    renewal.show(viewer);
    parentPage.meet(parentOrigins ?? []);
    const target = safeReturnUrl(returnUrl);
    if (sessions.read().session?.returnUrl !== target) {
      sessions.amend({ returnUrl: target });
    }
  }, [viewer, parentOrigins, returnUrl]);
  return (
    looks && (
      <>
        {children}
        <SessionEnd />
      </>
    )
  );
}

/** Reads again who asks when the session was renewed: the new one may look otherwise, and lead elsewhere. */
function useAnotherViewer(): void {
  const client = useClient();
  const { session } = useSyncExternalStore(sessions.subscribe, sessions.read);
  const token = session?.token;
  const known = useRef(token);
  useEffect(() => {
    if (known.current !== token) {
      known.current = token;
      void client.query(VIEWER, {}).toPromise();
    }
  }, [client, token]);
}

parentPage.listen(({ type, theme, locale }) => {
  if (type === 'hookwright:look') {
    void look({ theme, locale });
  }
});

/** Values that are not a theme or a language tag change nothing. */
async function look({ theme, locale }: { theme: unknown; locale: unknown }): Promise<void> {
  if (isTheme(theme)) {
    offerTheme(theme);
  }
  if (typeof locale === 'string' && isLanguageTag(locale)) {
    await setLocales([locale]);
  }
}
