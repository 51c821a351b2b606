import type { NotDue } from '../../src/operations/attempts/load-deliveries.js';

/** A delivery is put off: its job gets a later time. */
export interface Delay {
  putOffMs: number;
  /** Called when the job is written, or could not be: then it runs again like any that failed. */
  ended?(isWritten: boolean): void;
}

/** The webhook has changed since the delivery was loaded: it is loaded again. */
export const LOADED_AGAIN: Delay = { putOffMs: 0 };

/** Why a delivery is not sent now. No attempt is burned. */
export type NotNow = NotDue | Delay;

export const isNotNow = (found: object | NotNow): found is NotNow => typeof found === 'string' || 'putOffMs' in found;
