import { type ComponentType, useState } from 'react';
import { whenWanted } from '../../../parts/when-wanted';
import { type Action, useAction, useOffered } from '../actions';
import { ContentDialog } from '../content/content-dialog';
import { DeleteDialog } from '../edit/delete-dialog';
import { EditDialog } from '../edit/edit-dialog';
import { PauseDialog } from '../edit/pause-dialog';
import { RotateDialog } from '../edit/rotate-dialog';
import { EarlierHeldDialog } from '../held/earlier-held-dialog';
import { HeldDialog } from '../held/held-dialog';
import { RotateKeyDialog } from '../key-pair/rotate-key-dialog';
import { SigningDialog } from '../key-pair/signing-dialog';
import { OrderDialog } from '../ordering/order-dialog';
import { PaceDialog } from '../pace/pace-dialog';
import { AttemptDialog } from '../resend/attempt-dialog';
import { RecoverDialog } from '../resend/recover-dialog';
import { ReplayDialog } from '../resend/replay-dialog';
import { RemoveCompatDialog } from '../settings/remove-compat-dialog';
import { TestDialog } from '../testing/test-dialog';
import type { EndpointDialogProps, ShownEndpoint } from '../use-endpoint';

/** Few endpoints need these, so they are scripts of their own. */
const HeadersDialog = whenWanted(() => import('../settings/headers-dialog'));
const TlsDialog = whenWanted(() => import('../tls/tls-dialog'));

const DIALOGS: Record<Action, ComponentType<EndpointDialogProps>> = {
  test: TestDialog,
  edit: EditDialog,
  pace: PaceDialog,
  headers: (props) => <HeadersDialog wanted {...props} />,
  tls: (props) => <TlsDialog wanted {...props} />,
  compat: RemoveCompatDialog,
  content: ContentDialog,
  order: OrderDialog,
  pause: PauseDialog,
  enable: HeldDialog,
  release: HeldDialog,
  earlier: EarlierHeldDialog,
  rotate: RotateDialog,
  signing: SigningDialog,
  rotateKey: RotateKeyDialog,
  attempt: AttemptDialog,
  recover: RecoverDialog,
  replay: ReplayDialog,
  delete: DeleteDialog,
};

/** The dialog that the address names, where the server would take what it does. */
export default function EndpointDialogs({ endpoint }: { endpoint: ShownEndpoint }) {
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
