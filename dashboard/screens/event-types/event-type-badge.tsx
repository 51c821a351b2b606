import { useLingui } from '@lingui/react/macro';
import { Archive, CircleCheck, Lock } from 'lucide-react';
import { Badge } from '../../parts/status';

/** How an event type stands: current, of the service itself, deprecated. */
export function EventTypeBadge({ reserved, deprecatedAt }: { reserved: boolean; deprecatedAt?: string | null }) {
  const { t } = useLingui();
  if (deprecatedAt != null) {
    return <Badge tone="warn" icon={Archive}>{t`Deprecated`}</Badge>;
  }
  if (reserved) {
    return <Badge tone="calm" icon={Lock}>{t`Of the service`}</Badge>;
  }
  return <Badge tone="good" icon={CircleCheck}>{t`Current`}</Badge>;
}
