import type { Making } from '../../src/domain/pacing/content-pace.js';
import type { DueDelivery } from '../../src/operations/attempts/load-deliveries.js';
import type { Answer, KnownHealth } from './answer.js';
import type { Delay } from './not-now.js';

/** A delivery that wants to be sent. */
export type Candidate = KnownHealth & Pick<DueDelivery, 'id' | 'webhookId' | 'tenantId' | 'url' | 'content'>;

/** A permit of an endpoint. It must be given back; giving it back twice does nothing. */
export interface Permit {
  /** The content that the delivery needs; null: it sends its event's body. */
  readonly making: Making | null;
  /**
   * Gives the permit back.
   *
   * @param answer undefined when no request was made
   * @returns whether the answer repeats one that has closed the endpoint
   */
  giveBack(answer?: Answer): boolean;
}

export type Entry = Permit | Delay;
