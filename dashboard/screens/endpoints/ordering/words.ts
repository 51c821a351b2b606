import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { SETTLE_SECONDS_MAX } from '../../../../src/domain/fields/ordering-fields';
import type { EndpointOptionsFragment } from '../../../api/generated/graphql';

export type Ordering = Omit<EndpointOptionsFragment['ordering'], 'warnings'>;

/** The values of an endpoint that is not there yet. */
export const NO_ORDER: Ordering = {
  by: 'NONE',
  keyPath: null,
  keep: 'ALL',
  settleSeconds: null,
  settleMaxSeconds: null,
  onFailure: 'CONTINUE',
};

/** The most seconds that a key waits which is never quiet. */
export const longestWait = ({ settleSeconds, settleMaxSeconds }: Ordering): number =>
  settleMaxSeconds ?? Math.min(10 * (settleSeconds ?? 0), SETTLE_SECONDS_MAX);

interface Words {
  name: MessageDescriptor;
  hint: MessageDescriptor;
}

/** The answers to the three questions about order. */
export const ORDER_BY: Record<Ordering['by'], Words> = {
  NONE: { name: msg`None`, hint: msg`Each delivery is sent at once. Events may arrive out of order.` },
  KEY: { name: msg`Deliveries with the same key`, hint: msg`Each one waits until the one before it is finished.` },
  ENDPOINT: {
    name: msg`All of this endpoint`,
    hint: msg`One at a time. A delivery that fails delays all others.`,
  },
};

export const ORDER_KEEP: Record<Ordering['keep'], Words> = {
  ALL: { name: msg`All of them`, hint: msg`In the order in which the events were emitted.` },
  LATEST: { name: msg`The newest alone`, hint: msg`A new event cancels the waiting ones of its key.` },
};

export const ORDER_ON_FAILURE: Record<Ordering['onFailure'], Words> = {
  CONTINUE: { name: msg`The next one is sent`, hint: msg`The receiver misses one event of the key.` },
  BLOCK: { name: msg`The key stops`, hint: msg`Its deliveries wait until someone unblocks the key.` },
};
