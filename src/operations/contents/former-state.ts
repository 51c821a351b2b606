/**
 * SQL: the state before the change for a delivery that has a content; null where the content does not ask for it, as
 * PlannedContent says. Contents are searched only for events that have such a state, and their texts as they are
 * written, so it may be read for a few that do not ask.
 *
 * @param event a row of events
 * @param delivery a row of deliveries
 */
export const formerStateSql = (event: string, delivery: string): string => `
  case when ${event}.previous is not null and exists (
    select from hookwright.webhook_contents k
    where k.id = ${delivery}.content_id and (k.tenant_id = ${delivery}.tenant_id) is true
      and (k.format like 'CLOUDEVENTS%' or k.text ~ '@(previous|changed)' or k.template::text ~ '@(previous|changed)'
           or k.shape::text ~ '"event":"(previous|changes)"')) then ${event}.previous end`;
