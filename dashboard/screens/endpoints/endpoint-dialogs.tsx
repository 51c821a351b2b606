import { type ComponentType, useState } from 'react';
import { type Action, useAction, useOffered } from './actions';
import { ContentDialog } from './content/content-dialog';
import { AttemptDialog } from './dialogs/attempt-dialog';
import { DeleteDialog } from './dialogs/delete-dialog';
import { EarlierHeldDialog } from './dialogs/earlier-held-dialog';
import { EditDialog } from './dialogs/edit-dialog';
import { HeldDialog } from './dialogs/held-dialog';
import { PaceDialog } from './dialogs/pace-dialog';
import { PauseDialog } from './dialogs/pause-dialog';
import { RecoverDialog } from './dialogs/recover-dialog';
import { ReplayDialog } from './dialogs/replay-dialog';
import { RotateDialog } from './dialogs/rotate-dialog';
import { TestDialog } from './dialogs/test-dialog';
import { OrderDialog } from './ordering/order-dialog';
import { HeadersDialog } from './settings/headers-dialog';
import type { EndpointDialogProps, ShownEndpoint } from './use-endpoint';

const DIALOGS: Record<Action, ComponentType<EndpointDialogProps>> = {
  test: TestDialog,
  edit: EditDialog,
  pace: PaceDialog,
  headers: HeadersDialog,
  content: ContentDialog,
  order: OrderDialog,
  pause: PauseDialog,
  enable: HeldDialog,
  release: HeldDialog,
  earlier: EarlierHeldDialog,
  rotate: RotateDialog,
  attempt: AttemptDialog,
  recover: RecoverDialog,
  replay: ReplayDialog,
  delete: DeleteDialog,
};

/** The dialog that the address names, where the server would take what it does. */
export function EndpointDialogs({ endpoint }: { endpoint: ShownEndpoint }) {
  const [action, start] = useAction();
  const isOffered = useOffered(endpoint);
  // What a dialog has done may be why it is not offered any more: it closes itself, after it has shown what came of it.
  const [begun, setBegun] = useState<Action>();
  if (action !== begun && (action === undefined || isOffered(action))) {
    setBegun(action);
  }
  if (action === undefined || action !== begun) {
    return null;
  }
  const Shown = DIALOGS[action];
  return <Shown key={action} endpoint={endpoint} onClose={() => start(undefined)} />;
}
