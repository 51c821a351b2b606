import { IDS_PER_DAY } from '../../domain/ids/delivery-id.js';

/**
 * SQL condition: this delivery is of the event with the id `eventId`. No delivery is a day older than its event,
 * whatever clocks do; so earlier days need not be opened.
 */
export const ofEventSql = (delivery: string, eventId: string) =>
  `${delivery}.event_id = ${eventId} and ${delivery}.id > ${eventId} - ${IDS_PER_DAY}`;
