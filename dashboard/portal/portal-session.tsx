import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useClient } from 'urql';
import { sessions } from '../api/session';
import { offerLook } from '../parts/look';
import { useViewer, VIEWER } from '../parts/viewer';
import { isLanguageTag, setLocales } from '../text/language';
import { safeReturnUrl } from './links';
import { parentPage } from './parent-page';
import { renewal } from './renewal';
import { SessionEndsSoon } from './session-ends-soon';

/** Shows the screens as the session, and then the parent page, want them; says when the session is about to end. */
export function PortalSession({ children }: { children: ReactNode }) {
  const viewer = useViewer();
  const { theme, locale, look: wanted, returnUrl, parentOrigins } = viewer.portalSession ?? {};
  const [looks, setLooks] = useState(false);
  useAnotherViewer();
  useEffect(() => {
    void look({ theme: theme?.toLowerCase(), locale, ...wanted })
      .then(() => look(ofParent))
      .then(() => setLooks(true));
  }, [theme, locale, wanted]);
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
        <SessionEndsSoon />
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

/** The look that the parent page wants; it wins over that of the session. */
let ofParent: Record<string, unknown> = {};

parentPage.listen(({ type, ...wanted }) => {
  if (type === 'hookwright:look') {
    ofParent = wanted;
    void look(wanted);
  }
});

/** Values that are not a theme or a language tag change nothing. The parent page hears what is wrong with a look. */
async function look({ locale, ...rest }: Record<string, unknown>): Promise<void> {
  const issues = offerLook(rest);
  if (issues.length > 0) {
    parentPage.refuse(issues);
  }
  if (typeof locale === 'string' && isLanguageTag(locale)) {
    await setLocales([locale]);
  }
}
