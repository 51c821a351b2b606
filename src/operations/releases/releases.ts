import { ApiError, refusedInput } from '../../errors.js';
import { type HasOrm, type HasPool, query, type Statement } from '../../platform/database/database.js';
import { lockFor } from '../rows/advisory-lock.js';
import { type Actor, about, audit } from '../rows/audit.js';
import { Remembered } from '../rows/remembered.js';
import { managementTransaction } from '../rows/unit-of-work.js';
import { SentSchemas } from './sent-schemas.js';

export const RELEASES_MAX = 500;
/** Below the 5 s after which every process knows a new one, as with event types. */
const CACHE_AGE_MAX_MS = 4_000;

/** The versions that event types had when somebody named them together. */
export interface Release {
  name: string;
  createdAt: Date;
}

interface ReleaseVersionRow {
  release: string;
  eventType: string;
  version: number;
}

const readStatement: Statement = {
  name: 'read_releases',
  text: 'select name, made_at as "createdAt" from hookwright.releases order by id desc',
};

const versionsStatement: Statement = {
  name: 'read_versions_of_releases',
  text: `select r.name as release, v.event_type as "eventType", v.version
         from hookwright.release_versions v join hookwright.releases r on r.id = v.release_id
         where r.name = any($1::text[]) order by v.event_type`,
};

const insertStatement: Statement = {
  text: 'insert into hookwright.releases (name) values ($1) on conflict do nothing returning id',
};

const countStatement: Statement = { text: 'select count(*)::integer as count from hookwright.releases' };

/** Types of the service itself have no converters: their schemas come with its versions. */
const insertVersionsStatement: Statement = {
  text: `insert into hookwright.release_versions (release_id, event_type, version)
         select $1, name, version from hookwright.event_types where not reserved returning event_type`,
};

/** The releases of an installation. Each process has one, which remembers them for a few seconds. */
export class Releases {
  readonly #reads: Remembered<'all', Release[]>;
  /** The schemas of what their endpoints are sent. */
  readonly sentSchemas: SentSchemas;

  /** @param now monotonic, in ms */
  constructor(
    private readonly db: HasPool,
    now: () => number,
  ) {
    this.#reads = new Remembered(1, now);
    this.sentSchemas = new SentSchemas(db, now);
  }

  /** The newest first. */
  all(): Promise<Release[]> {
    return this.#reads.get('all', CACHE_AGE_MAX_MS, () => query<Release & object>(this.db.pool, readStatement, []));
  }

  /** The name of the newest one; null: there is none. */
  async newest(): Promise<string | null> {
    return (await this.all())[0]?.name ?? null;
  }

  async versions(names: readonly string[]): Promise<ReleaseVersionRow[]> {
    return await query<ReleaseVersionRow & object>(this.db.pool, versionsStatement, [names]);
  }

  /** Makes the next question read the database: this process has just made one. */
  forget(): void {
    this.#reads.forget('all');
  }
}

/** Notes the present version of each event type. @throws ApiError name_taken; invalid_input when there are too many */
export async function createRelease(db: HasOrm, name: string, by: Actor): Promise<void> {
  await managementTransaction(db, null, async ({ em, sql }) => {
    await lockFor(sql, 'event-types');
    const [counted] = await query<{ count: number }>(sql, countStatement, []);
    if (counted!.count >= RELEASES_MAX) {
      const detail = `would be one more than the ${RELEASES_MAX} releases that there can be`;
      throw refusedInput(['name'], 'too_many_releases', detail);
    }
    const [made] = await query<{ id: string }>(sql, insertStatement, [name]);
    if (made === undefined) {
      throw new ApiError('name_taken', `There is a release ${name} already.`);
    }
    const types = await query<{ event_type: string }>(sql, insertVersionsStatement, [made.id]);
    const after = { versions: types.length };
    audit(em, by, { ...about('RELEASE', null, name), action: 'RELEASE_CREATED', after });
  });
}
