import { Trans } from '@lingui/react/macro';
import { Dialog } from '../../../parts/dialog';
import type { EndpointDialogProps } from '../use-endpoint';
import { TestSender } from './test-sender';

/** Sends a test with a type and payload of choice. */
export function TestDialog({ endpoint, onClose }: EndpointDialogProps) {
  return (
    <Dialog open width="wide" onClose={onClose} title={<Trans>Send a test</Trans>}>
      <TestSender endpoint={endpoint} />
    </Dialog>
  );
}
