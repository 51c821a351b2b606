import { Toast } from '@base-ui/react/toast';
import { useLingui } from '@lingui/react/macro';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button';

const toasts = Toast.createToastManager();

/** Says for some seconds, at the edge of the page, what has just been done. Errors belong where they arose instead. */
export function notify(title: ReactNode, description?: ReactNode): void {
  toasts.add({ title, description });
}

/** Where notices appear: once in a page. */
export function Toasts() {
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
