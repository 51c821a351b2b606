/**
 * Where a receiver remembers deliveries. `begin` is atomic: of several copies in one instant exactly one is told `new`.
 * A store over something that is only eventually consistent cannot keep that.
 */
export interface Dedupe {
  /**
   * - `new`: this caller runs the handler
   * - `running`: another copy runs it. After `RUNNING_SECONDS` without an end, its process counts as dead: `new`
   * - `done`: it was handled
   */
  begin(id: string): Promise<DedupeState>;
  /** It was handled: `begin` says so for `DONE_DAYS`. */
  done(id: string): Promise<void>;
  /** The handler failed: the next attempt is `new`. */
  forget(id: string): Promise<void>;
}

export type DedupeState = 'new' | 'running' | 'done';

export interface StoreOptions {
  /** Tells the ids of two services apart that send to one store. Default: none. */
  source?: string | undefined;
}

/** Four times as long as the service waits for an answer, and half its first delay. */
export const RUNNING_SECONDS = 60;

/** One day more than the service holds deliveries of an endpoint that fails. */
export const DONE_DAYS = 8;
