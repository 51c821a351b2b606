import { ask } from '../connection/ask.js';
import type { Connection } from '../connection/connection.js';

export interface RegisteredType {
  name: string;
  description: string;
  version: number;
  reserved: boolean;
  deprecatedAt: string | null;
  schema: Record<string, unknown>;
}

const QUERY = '{ eventTypes { name description version reserved deprecatedAt schema } }';

/** The event types of the service, sorted by name. */
export async function readRegistry(connection: Connection): Promise<RegisteredType[]> {
  return (await ask<{ eventTypes: RegisteredType[] }>(connection, QUERY)).eventTypes;
}
