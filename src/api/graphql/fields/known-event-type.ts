import { notAType } from '../../../domain/events/event-type.js';
import { invalidInput, type Path } from '../../../errors.js';
import { type Known, knownOf } from '../../../operations/fields/kind-rules.js';
import type { Context } from '../../context/context.js';

/** The knowledge that rules for the fields of a webhook need. */
export async function knownTo({ config, eventTypes, releases, clock }: Context): Promise<Known> {
  const known = knownOf(config, clock);
  const named = (await releases.all()).map(({ name }) => name);
  return {
    ...known,
    names: { ...known.names, releases: named },
    eventTypes: await eventTypes.names(),
    schemas: await eventTypes.all(),
  };
}

/** The event type that an optional argument names. @throws ApiError invalid_input when there is no such type */
export async function knownTypeIn(
  { eventTypes }: Context,
  name: string | null | undefined,
  path: Path = ['filter', 'eventType'],
): Promise<string | undefined> {
  if (typeof name !== 'string') {
    return undefined;
  }
  const known = await eventTypes.names();
  if (!known.all.includes(name)) {
    throw invalidInput([{ path, code: 'event_type_unknown', detail: notAType(known.shown, name) }]);
  }
  return name;
}
