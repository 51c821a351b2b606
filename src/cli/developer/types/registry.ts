import type { Converter } from '../../../domain/content/converter.js';
import { ask } from '../connection/ask.js';
import type { Connection } from '../connection/connection.js';

export interface RegisteredType {
  name: string;
  description: string;
  version: number;
  reserved: boolean;
  deprecatedAt: string | null;
  schema: Record<string, unknown>;
  /** The converter of the current version; null: it has none. Undefined: nobody has asked. */
  converter?: Converter | null;
}

const QUERY = '{ eventTypes { name description version reserved deprecatedAt schema } }';

/** The event types of the service, sorted by name. */
export async function readRegistry(connection: Connection): Promise<RegisteredType[]> {
  return (await ask<{ eventTypes: RegisteredType[] }>(connection, QUERY)).eventTypes;
}

const CONVERTER_QUERY = `query ($name: String!) {
  eventType(name: $name) { versions { converter { op path to value } } }
}`;

interface Answer {
  eventType: { versions: { converter: { op: string; path: string; to: string | null; value: unknown }[] | null }[] };
}

/** The converter of the current version of a type, without members that its steps do not have; null: it has none. */
export async function readConverterOf(connection: Connection, name: string): Promise<Converter | null> {
  const { eventType } = await ask<Answer>(connection, CONVERTER_QUERY, { name });
  const steps = eventType.versions[0]?.converter ?? null;
  return (
    steps &&
    (steps.map(({ op, path, to, value }) => ({
      op,
      path,
      ...(to === null ? {} : { to }),
      ...(op === 'SET' ? { value } : {}),
    })) as Converter)
  );
}
