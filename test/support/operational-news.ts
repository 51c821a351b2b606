import { createHmac } from 'node:crypto';
import { OPERATIONAL_EVENT_TYPES } from '../../src/domain/events/operational-events.js';
import type { DeliveryStack } from './delivery-stack.js';
import type { Received, Receiver } from './receiver.js';

interface OperationalEventRow {
  id: number;
  event_type: string;
  payload: Record<string, string>;
}

/** The operational events that the database has, in the order in which they were raised. */
export async function operationalEvents(stack: DeliveryStack, type?: string): Promise<OperationalEventRow[]> {
  const types = type === undefined ? OPERATIONAL_EVENT_TYPES : [type];
  return await stack.rows<OperationalEventRow>(
    `select id, event_type, body::json as payload from hookwright.events
     where event_type in (${types.map((name) => `'${name}'`)}) order by id`,
  );
}

/** The events of one type that a receiver got. */
export const receivedOf = ({ received }: Receiver, type: string): Received[] =>
  received.filter(({ headers }) => headers['x-service-event'] === type);

export const signatureOf = (secret: string, body: Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** Lets a minute pass for the database: counted news may be raised. @param type default: of all types */
export async function passMinute(stack: DeliveryStack, type?: string): Promise<void> {
  const which = type === undefined ? '' : `where event_type = '${type}'`;
  await stack.rows(`update hookwright.raised_events set raised_at = raised_at - interval '61 seconds' ${which}`);
}
