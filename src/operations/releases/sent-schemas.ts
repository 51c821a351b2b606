import { type HasPool, query, type Statement } from '../../platform/database/database.js';
import { Remembered } from '../rows/remembered.js';
import { olderVersions } from './older-versions.js';

/** An event type with its current schema. */
interface Version {
  name: string;
  version: number;
  /** JSON Schema as text. */
  schema: string;
}

/** Event types, and the same in the versions that are sent. */
interface SentTypes {
  all: readonly Version[];
  sent: readonly Version[];
}

const RELEASES_KEPT = 50;
/** Below the 5 s after which every process knows a new version or converter. */
const CACHE_AGE_MAX_MS = 4_000;

const schemasStatement: Statement = {
  name: 'read_schemas_of_versions',
  text: `select v.event_type as name, v.version, v.schema
         from unnest($1::text[], $2::integer[]) as wanted(name, version)
         join hookwright.event_type_versions v on v.event_type = wanted.name and v.version = wanted.version`,
};

/** The schemas of the payloads that pinned endpoints get. They are remembered for a while. */
export class SentSchemas {
  readonly #reads: Remembered<string, SentTypes>;

  /** @param now monotonic, in ms */
  constructor(
    private readonly db: HasPool,
    now: () => number,
  ) {
    this.#reads = new Remembered(RELEASES_KEPT, now);
  }

  /**
   * Event types with the versions and schemas of the payloads that an endpoint gets: those of its release, as far as
   * converters lead.
   *
   * @param all event types as they are: the same list until one of them changes
   * @param release null: the endpoint is not pinned
   */
  async of<Type extends Version>(release: string | null, all: readonly Type[]): Promise<readonly Type[]> {
    if (release === null) {
      return all;
    }
    const read = (ageMaxMs: number) =>
      this.#reads.get(release, ageMaxMs, async () => ({ all, sent: await this.#read(release, all) }));
    const known = await read(CACHE_AGE_MAX_MS);
    const { sent } = known.all === all ? known : await read(0);
    return sent as readonly Type[]; // they are made of these
  }

  async #read(release: string, all: readonly Version[]): Promise<readonly Version[]> {
    const older = await olderVersions(this.db, release);
    const [names, versions] = [older.map(({ eventType }) => eventType), older.map(({ sent }) => sent)];
    const rows =
      older.length === 0 ? [] : await query<Version & object>(this.db.pool, schemasStatement, [names, versions]);
    const byName = new Map(rows.map((row) => [row.name, row]));
    return all.map((type) => ({ ...type, ...byName.get(type.name) }));
  }
}
