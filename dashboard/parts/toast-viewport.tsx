import { CSPProvider } from '@base-ui/react/csp-provider';
import { Toast } from '@base-ui/react/toast';
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { useLingui } from '@lingui/react/macro';
import { X } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { Button } from './button';

const toasts = Toast.createToastManager();

let place: Promise<void> | undefined;

/** Adds a notice; the first one makes the place where they appear. */
export function addToast(title: ReactNode, description?: ReactNode): void {
  place ??= makePlace();
  void place.then(() => toasts.add({ title, description }));
}

/** Resolves when the place listens: a notice before that would be lost. */
function makePlace(): Promise<void> {
  return new Promise((resolve) => {
    const element = document.createElement('div');
    document.body.append(element);
    createRoot(element).render(
      <CSPProvider disableStyleElements>
        <I18nProvider i18n={i18n}>
          <Toasts onListening={resolve} />
        </I18nProvider>
      </CSPProvider>,
    );
  });
}

/** Where notices appear. */
function Toasts({ onListening }: { onListening: () => void }) {
  // After those of the provider within, which begins to listen by one.
  useEffect(onListening, [onListening]);
  return (
    <Toast.Provider toastManager={toasts} timeout={6_000}>
      <Toast.Portal>
        <Toast.Viewport className="fixed inset-e-4 bottom-4 z-30 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2">
          <Notices />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Notices() {
  const { t } = useLingui();
  const { toasts: shown, close } = Toast.useToastManager();
  return shown.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className="rounded-lg border border-line bg-raised shadow-xl transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0"
    >
      <Toast.Content className="flex items-start gap-2 py-2 ps-3.5 pe-2">
        <div className="min-w-0 flex-1 py-1 text-sm">
          <Toast.Title className="font-medium" />
          <Toast.Description className="text-soft" />
        </div>
        <Button look="quiet" icon={<X />} label={t`Close`} onClick={() => close(toast.id)} />
      </Toast.Content>
    </Toast.Root>
  ));
}
