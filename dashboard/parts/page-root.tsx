import { CSPProvider } from '@base-ui/react/csp-provider';
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { Trans } from '@lingui/react/macro';
import { CatchBoundary } from '@tanstack/react-router';
import { type ReactNode, StrictMode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { setLocales } from '../text/language';
import { Answer } from './page';
import { Broken } from './router-options';
import { offerTheme } from './theme';

let root: Root | undefined;

/** Shows a page: in the system's theme and the browser's language until a session says otherwise. */
export async function showPage(page: ReactNode): Promise<void> {
  offerTheme('auto');
  const parameters = new URLSearchParams(location.search);
  await setLocales(parameters.getAll('locale'));
  root ??= createRoot(document.getElementById('root') ?? document.body);
  root.render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <I18nProvider i18n={i18n}>
          {/* What the router does not show, such as the page of those who are not signed in, may lack a script too. */}
          <CatchBoundary getResetKey={() => ''} errorComponent={Broken}>
            {page}
          </CatchBoundary>
        </I18nProvider>
      </CSPProvider>
    </StrictMode>,
  );
}

/** Shows that the service is away, before there is a session whose screens could say so. */
export function showWaiting(): void {
  void showPage(
    <main className="mx-auto max-w-xl p-6">
      <Answer tone="warn">
        <h1 className="font-medium">
          <Trans>The service is unreachable.</Trans>
        </h1>
        <p className="text-sm text-soft">
          <Trans>This page tries again by itself.</Trans>
        </p>
      </Answer>
    </main>,
  );
}
