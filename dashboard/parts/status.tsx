import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import {
  Ban,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  Clock,
  Hourglass,
  type LucideIcon,
  Trash2,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { FAILING_FROM_FAILURES } from '../../src/domain/deliveries/health-limits';
import type { DeliveryStatus, FailingState, WebhookDisabledReason } from '../api/generated/graphql';
import type { Tone } from './page';

const TONES: Record<Tone, string> = {
  good: 'text-good bg-good-soft',
  bad: 'text-bad bg-bad-soft',
  warn: 'text-warn bg-warn-soft',
  info: 'text-info bg-info-soft',
  calm: 'text-soft bg-sunken',
};

/** A state, by shape and colour and word. */
export function Badge({
  tone,
  icon: Icon,
  children,
}: {
  tone: Tone;
  icon?: LucideIcon | undefined;
  children: ReactNode;
}) {
  return (
    <span
      className={`inline-flex h-5 items-center gap-1 rounded-full px-1.5 text-xs font-medium whitespace-nowrap ${TONES[tone]}`}
    >
      {Icon !== undefined && <Icon aria-hidden className="size-3" strokeWidth={2.5} />}
      {children}
    </span>
  );
}

/** A state: its word, colour and shape. */
export interface State {
  name: MessageDescriptor;
  tone: Tone;
  icon?: LucideIcon;
}

export function StateBadge({ state: { name, tone, icon } }: { state: State }) {
  const { i18n } = useLingui();
  return (
    <Badge tone={tone} icon={icon}>
      {i18n._(name)}
    </Badge>
  );
}

export const DELIVERY_STATES: Record<DeliveryStatus, State> = {
  SUCCEEDED: { name: msg`Delivered`, tone: 'good', icon: CircleCheck },
  FAILED: { name: msg`Failed`, tone: 'bad', icon: CircleX },
  PENDING: { name: msg`Pending`, tone: 'info', icon: CircleDashed },
  WAITING: { name: msg`Waiting`, tone: 'info', icon: Hourglass },
  HELD: { name: msg`Held`, tone: 'warn', icon: CirclePause },
  CANCELED: { name: msg`Canceled`, tone: 'calm', icon: Ban },
};

const RETRYING: State = { name: msg`Retrying`, tone: 'warn', icon: Clock };

/** The state of a delivery; one that has failed and will be sent again says so. */
export function DeliveryBadge({ status, attemptCount = 0 }: { status: DeliveryStatus; attemptCount?: number }) {
  return <StateBadge state={status === 'PENDING' && attemptCount > 0 ? RETRYING : DELIVERY_STATES[status]} />;
}

/** The fields of a webhook that its state is made from. */
export interface WebhookStateFields {
  active: boolean;
  disabledReason?: WebhookDisabledReason | null;
  closedUntil?: string | null;
  consecutiveFailures: number;
}

/** How a webhook fails. */
export function FailingBadge({ state }: { state: FailingState }) {
  const { t } = useLingui();
  switch (state) {
    case 'GONE':
      return <Badge tone="bad" icon={Trash2}>{t`Gone`}</Badge>;
    case 'DISABLED':
      return <Badge tone="bad" icon={CircleX}>{t`Disabled`}</Badge>;
    case 'FAILING':
      return <Badge tone="warn" icon={CircleX}>{t`Failing`}</Badge>;
  }
}

/** The state of a webhook in a word: active, failing, closed for a while, paused, disabled. */
export function WebhookBadge({ webhook }: { webhook: WebhookStateFields }) {
  const { t } = useLingui();
  if (!webhook.active) {
    switch (webhook.disabledReason) {
      case 'PAUSED':
        return <Badge tone="calm" icon={CirclePause}>{t`Paused`}</Badge>;
      case 'UNVERIFIED':
        return <Badge tone="warn" icon={CirclePause}>{t`Not verified`}</Badge>;
      case 'GONE':
        return <FailingBadge state="GONE" />;
      default:
        return <FailingBadge state="DISABLED" />;
    }
  }
  if (isClosed(webhook)) {
    return <Badge tone="calm" icon={Clock}>{t`Asked to wait`}</Badge>;
  }
  if (webhook.consecutiveFailures >= FAILING_FROM_FAILURES) {
    return <FailingBadge state="FAILING" />;
  }
  return <Badge tone="good" icon={CircleCheck}>{t`Active`}</Badge>;
}

/** Whether the endpoint has asked for a pause that is not over. */
export function isClosed({ closedUntil }: { closedUntil?: string | null }): boolean {
  return closedUntil !== null && closedUntil !== undefined && new Date(closedUntil).getTime() > Date.now();
}
