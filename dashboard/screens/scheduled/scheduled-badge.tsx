import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import { Ban, CircleCheck, Clock, type LucideIcon } from 'lucide-react';
import type { ScheduledEventStatus } from '../../api/generated/graphql';
import type { Tone } from '../../parts/page';
import { Badge } from '../../parts/status';

export const SCHEDULED_STATES: Record<ScheduledEventStatus, { name: MessageDescriptor; tone: Tone; icon: LucideIcon }> =
  {
    SCHEDULED: { name: msg`Scheduled`, tone: 'info', icon: Clock },
    EMITTED: { name: msg`Emitted`, tone: 'good', icon: CircleCheck },
    CANCELED: { name: msg`Canceled`, tone: 'calm', icon: Ban },
  };

/** The state of a scheduled event. */
export function ScheduledBadge({ status }: { status: ScheduledEventStatus }) {
  const { i18n } = useLingui();
  const { name, tone, icon } = SCHEDULED_STATES[status];
  return (
    <Badge tone={tone} icon={icon}>
      {i18n._(name)}
    </Badge>
  );
}
