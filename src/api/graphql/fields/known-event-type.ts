import { notAType } from '../../../domain/events/event-type.js';
import { invalidInput, type Path } from '../../../errors.js';
import { type Known, knownOf, notAmong } from '../../../operations/fields/kind-rules.js';
import type { Context } from '../../context/context.js';

/**
 * The knowledge that rules for the fields of a webhook need.
 *
 * @param release of the webhook: its shapes are for the payloads that it sends. Null: it is not pinned
 */
export async function knownTo(
  { config, eventTypes, releases, clock }: Context,
  release: string | null = null,
): Promise<Known> {
  const known = knownOf(config, clock);
  const named = (await releases.all()).map(({ name }) => name);
  return {
    ...known,
    names: { ...known.names, releases: named },
    eventTypes: await eventTypes.names(),
    schemas: await releases.sentSchemas.of(release, await eventTypes.all()),
  };
}

/** The release that an optional argument names. @throws ApiError invalid_input when there is no such release */
export async function knownReleaseIn(
  { releases }: Context,
  name: string | null | undefined,
  path: Path,
): Promise<string | null> {
  const names = name == null ? [] : (await releases.all()).map((one) => one.name);
  if (name != null && !names.includes(name)) {
    throw invalidInput([{ path, code: 'release_unknown', detail: notAmong(names) }]);
  }
  return name ?? null;
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
