import { CSPProvider } from '@base-ui/react/csp-provider';
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../styles.css';
import { useLocales } from '../text/language';
import { offerTheme } from './theme';

/** Shows a page: in the system's theme and the browser's language until a session says otherwise. */
export async function showPage(page: ReactNode): Promise<void> {
  offerTheme('auto');
  const parameters = new URLSearchParams(location.search);
  await useLocales(parameters.getAll('locale'));
  const root = document.getElementById('root');
  if (root !== null) {
    createRoot(root).render(
      <StrictMode>
        <CSPProvider disableStyleElements>
          <I18nProvider i18n={i18n}>{page}</I18nProvider>
        </CSPProvider>
      </StrictMode>,
    );
  }
}
