import { useLingui } from '@lingui/react/macro';
import type { BulkOperationStatus } from '../../api/generated/graphql';
import { Badge } from '../../parts/status';
import { OPERATION_STATES } from './names';

/** The state of an operation. */
export function OperationBadge({ status }: { status: BulkOperationStatus }) {
  const { i18n } = useLingui();
  const { name, tone, icon } = OPERATION_STATES[status];
  return (
    <Badge tone={tone} icon={icon}>
      {i18n._(name)}
    </Badge>
  );
}
