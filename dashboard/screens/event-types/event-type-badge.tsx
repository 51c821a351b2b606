import { useLingui } from '@lingui/react/macro';
import { Archive, CircleCheck, EyeOff, Lock } from 'lucide-react';
import { Badge } from '../../parts/status';

/** How an event type stands: current, hidden, of the service itself, deprecated. */
export function EventTypeBadge({
  reserved,
  deprecatedAt,
  hiddenAt,
}: {
  reserved: boolean;
  deprecatedAt?: string | null;
  hiddenAt?: string | null;
}) {
  const { t } = useLingui();
  if (deprecatedAt != null) {
    return <Badge tone="warn" icon={Archive}>{t`Deprecated`}</Badge>;
  }
  if (hiddenAt != null) {
    return <Badge tone="calm" icon={EyeOff}>{t`Hidden`}</Badge>;
  }
  if (reserved) {
    return <Badge tone="calm" icon={Lock}>{t`Built in`}</Badge>;
  }
  return <Badge tone="good" icon={CircleCheck}>{t`Current`}</Badge>;
}
