import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { BulkDialog } from '../../../parts/bulk-dialog';
import { isClosed } from '../../../parts/status';
import { absolute } from '../../../parts/time';
import { useBulkWords } from '../../deliveries/bulk/bulk-words';
import { ATTEMPT_MATCHING } from '../../operations/documents';
import { useBulkOperation } from '../../operations/use-bulk-operation';
import type { EndpointDialogProps } from '../use-endpoint';

/** Makes the retries of the endpoint due that wait for a later time. */
export function AttemptDialog({ endpoint, onClose }: EndpointDialogProps) {
  const [input] = useState({ filter: { webhookId: endpoint.id, retrying: true } });
  const work = useBulkOperation(ATTEMPT_MATCHING, input);
  return (
    <BulkDialog {...useBulkWords().attempt} work={work} onClose={onClose}>
      {isClosed(endpoint) && (
        <p className="text-warn">
          <Trans>The endpoint asked for a pause until {absolute(endpoint.closedUntil!)}. They are sent after it.</Trans>
        </p>
      )}
      {endpoint.consecutiveFailures > 0 && (
        <p className="text-soft">
          <Trans>One delivery goes first. If it succeeds, the others follow.</Trans>
        </p>
      )}
    </BulkDialog>
  );
}
