import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { HELD_SHOWN_MAX } from '../../../../src/domain/deliveries/health-limits';
import { shortly } from '../../../parts/time';
import { countUpTo } from '../../../text/numbers';
import type { Hold } from './endpoint-answer';

/** How many deliveries are held, within a sentence. */
export function Held({ held }: { held: number }) {
  return held === 1 ? (
    <Trans>one delivery is held</Trans>
  ) : (
    <Trans>{countUpTo(held, HELD_SHOWN_MAX)} deliveries are held</Trans>
  );
}

/** A sentence that says when the held deliveries of an inactive endpoint are sent or canceled. */
export function HoldSentence({ hold: { held, until, over } }: { hold: Hold }): ReactNode {
  if (over) {
    return (
      <Trans>
        The holding time is over: held deliveries are canceled, and new events get no delivery. You can replay them.
      </Trans>
    );
  }
  const end = until === null ? '–' : shortly(until);
  return held === 0 ? (
    <Trans>No delivery is held. New deliveries are held until {end}, then canceled.</Trans>
  ) : (
    <Trans>
      <Held held={held} /> until {end}, then canceled.
    </Trans>
  );
}
