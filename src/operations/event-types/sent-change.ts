import type { SchemaChange } from '../../domain/content/broken-paths.js';
import type { JsonObject } from '../../domain/schema-rules/subschemas.js';
import { type HasPool, query, type Statement } from '../../platform/database/database.js';
import type { Releases } from '../releases/releases.js';
import type { EventTypeRegistry, RegisteredEventType } from './event-type-registry.js';

export interface SentChangeDeps {
  db: HasPool;
  eventTypes: Pick<EventTypeRegistry, 'all'>;
  releases: Pick<Releases, 'sentSchemas'>;
}

/** A schema for an event type: another one than it has, or the present one. */
export interface JudgedSchema {
  schema: JsonObject;
  /** Whether another schema comes with a converter, which leads to the version that there is. */
  converts: boolean;
}

/** The change of what endpoints are sent. Null: that stays as it is. @param release null: they are not pinned */
export type SentChange = (release: string | null) => Promise<SchemaChange | null>;

const releasesStatement: Statement = {
  name: 'read_releases_of_type',
  text: `select r.name from hookwright.release_versions v join hookwright.releases r on r.id = v.release_id
         where v.event_type = $1`,
};

/**
 * The change that a schema of an event type is to the endpoints of each release. A converter keeps what they are sent;
 * without one all get the new schema, since the way to the version of a release ends there.
 *
 * @param type as it is
 */
export async function sentChangeOf(
  { db, eventTypes, releases }: SentChangeDeps,
  type: RegisteredEventType,
  { schema: after, converts }: JudgedSchema,
): Promise<SentChange> {
  const { name: eventType, version } = type;
  const isPresent = type.schema === JSON.stringify(after);
  const having = new Set((await query<{ name: string }>(db.pool, releasesStatement, [eventType])).map(nameOf));
  const newest = { eventType, before: JSON.parse(type.schema) as JsonObject, after };
  const find = async (release: string): Promise<SchemaChange | null> => {
    const types = await releases.sentSchemas.of(release, await eventTypes.all());
    const sent = types.find(({ name }) => name === eventType) ?? type;
    return isPresent && sent.version < version ? null : { ...newest, before: JSON.parse(sent.schema) as JsonObject };
  };
  const found = new Map<string, Promise<SchemaChange | null>>();
  return async (release) => {
    if (release === null || !having.has(release)) {
      return newest;
    }
    if (converts && !isPresent) {
      return null;
    }
    const known = found.get(release) ?? find(release);
    found.set(release, known);
    return await known;
  };
}

const nameOf = ({ name }: { name: string }): string => name;
