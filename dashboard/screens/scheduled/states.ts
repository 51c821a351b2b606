import { msg } from '@lingui/core/macro';
import { Ban, CircleCheck, Clock } from 'lucide-react';
import type { ScheduledEventStatus } from '../../api/generated/graphql';
import type { State } from '../../parts/status';

export const SCHEDULED_STATES: Record<ScheduledEventStatus, State> = {
  SCHEDULED: { name: msg`Scheduled`, tone: 'info', icon: Clock },
  EMITTED: { name: msg`Emitted`, tone: 'good', icon: CircleCheck },
  CANCELED: { name: msg`Canceled`, tone: 'calm', icon: Ban },
};
