import type { Context } from '../../context/context.js';
import { given, knownEventType, parseInput } from './input.js';

/**
 * The event type that an argument names, if it names one.
 *
 * @param path where the name stands in the arguments of its field
 * @throws ApiError invalid_input when there is no such type
 */
export async function knownTypeIn(
  { eventTypes }: Context,
  name: string | null | undefined,
  path: readonly string[] = ['filter', 'eventType'],
): Promise<string | undefined> {
  const wanted = given(name);
  return wanted === undefined ? undefined : parseInput(knownEventType(await eventTypes.names()), wanted, path);
}
