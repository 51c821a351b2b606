import type { Context } from '../../context/context.js';
import { knownEventType, parseInput } from './input.js';

/** The event type that an optional argument names. @throws ApiError invalid_input when there is no such type */
export async function knownTypeIn(
  { eventTypes }: Context,
  name: string | null | undefined,
  path: readonly string[] = ['filter', 'eventType'],
): Promise<string | undefined> {
  return typeof name === 'string' ? parseInput(knownEventType(await eventTypes.names()), name, path) : undefined;
}
