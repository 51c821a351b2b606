/** Whether an operation goes through deliveries that are there: others make new ones, or change events. */
export const isOfDeliveries = ({ kind }: { kind: string }): boolean =>
  kind !== 'REPLAY_EVENTS' && kind !== 'ERASE_EVENTS';

/** The address of the list with an operation's deliveries. Without their state, since it changes that. */
export function listOf({ filter }: { filter: Record<string, unknown> }): Record<string, string> {
  const { webhookId, eventType, eventTypes, eventId, since, until } = filter;
  const types = [eventType ?? eventTypes ?? []].flat();
  const search = {
    endpoint: webhookId,
    event: eventId,
    type: types.length === 1 ? types[0] : undefined,
    // A time before anything that is kept means that no beginning was chosen.
    since: typeof since === 'string' && Date.parse(since) > 0 ? since : undefined,
    until,
  };
  return Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) => (value == null ? [] : [[name, `${value}`]])),
  );
}
