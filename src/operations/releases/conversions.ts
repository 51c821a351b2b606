import { BoundedMap } from '../../domain/collections/bounded-map.js';
import { Conversion } from '../../domain/content/conversion.js';
import type { Converter } from '../../domain/content/converter.js';
import { type HasPool, query, type Statement } from '../../platform/database/database.js';
import { Remembered } from '../rows/remembered.js';

/** An event whose payload is sent in the version of a release. */
interface VersionedEvent {
  id: number;
  type: string;
  /** The version that its payload was checked by; null: one without a converter. */
  typeVersion: number | null;
}

interface VersionRow {
  version: number;
  converter: Converter | null;
  /** The first event that the converter is for; null: all events of the version. */
  from: number | null;
}

/** The versions of an event type. */
interface Versions {
  byNumber: ReadonlyMap<number, VersionRow>;
  /** Whether each has a converter, but for the first. */
  isWhole: boolean;
}

const RELEASES_KEPT = 100;
const TYPES_KEPT = 500;
const CONVERSIONS_KEPT = 500;
/** A converter that is added later begins a minute after it was (set_converter): by then it was read. */
const READ_AGAIN_MS = 10_000;

const releaseStatement: Statement = {
  name: 'read_release_versions',
  text: `select v.event_type as "eventType", v.version from hookwright.release_versions v
         join hookwright.releases r on r.id = v.release_id where r.name = $1`,
};

const convertersStatement: Statement = {
  name: 'read_converters',
  text: `select version, converter, converter_from as "from" from hookwright.event_type_versions
         where event_type = $1`,
};

/** Converts payloads to those of a release. Daemons and the API have one each, with the same result for an event. */
export class Conversions {
  readonly #releases: Remembered<string, ReadonlyMap<string, number>>;
  readonly #types: Remembered<string, Versions>;
  /** By type and range of versions. */
  readonly #made = new BoundedMap<string, Conversion>(CONVERSIONS_KEPT);

  /** @param now monotonic, in ms */
  constructor(
    private readonly db: HasPool,
    now: () => number = () => performance.now(),
  ) {
    this.#releases = new Remembered(RELEASES_KEPT, now);
    this.#types = new Remembered(TYPES_KEPT, now);
  }

  /**
   * The conversion of an event for endpoints that are pinned to a release. It goes as far towards the release's version
   * as there are converters without a gap.
   *
   * @param release null: the endpoint is not pinned
   * @returns null: the payload is sent in its own version
   */
  async of(release: string | null, { id, type, typeVersion }: VersionedEvent): Promise<Conversion | null> {
    if (release === null || typeVersion === null) {
      return null;
    }
    const wanted = (await this.#versionsOf(release)).get(type);
    if (wanted === undefined || wanted >= typeVersion) {
      return null;
    }
    const { byNumber } = await this.#versionsOfType(type, typeVersion);
    const chain: Converter[] = [];
    for (let version = typeVersion; version > wanted; version -= 1) {
      const { converter = null, from = null } = byNumber.get(version) ?? {};
      if (converter === null || (from !== null && id < from)) {
        break;
      }
      chain.push(converter);
    }
    return chain.length === 0 ? null : this.#conversion(`${type} ${typeVersion} ${chain.length}`, chain);
  }

  #conversion(key: string, chain: readonly Converter[]): Conversion {
    const made = this.#made.get(key) ?? new Conversion(chain);
    this.#made.renew(key, made);
    return made;
  }

  /** A release never changes. */
  #versionsOf(release: string): Promise<ReadonlyMap<string, number>> {
    return this.#releases.get(release, Number.POSITIVE_INFINITY, async () => {
      const rows = await query<{ eventType: string; version: number }>(this.db.pool, releaseStatement, [release]);
      return new Map(rows.map(({ eventType, version }) => [eventType, version]));
    });
  }

  /** A version comes with its converter. One that has none may get it later, for later events. */
  async #versionsOfType(type: string, typeVersion: number): Promise<Versions> {
    const read = (ageMaxMs: number) => this.#types.get(type, ageMaxMs, () => this.#read(type));
    const known = await read(Number.POSITIVE_INFINITY);
    if (!known.byNumber.has(typeVersion)) {
      return await read(0);
    }
    return known.isWhole ? known : await read(READ_AGAIN_MS);
  }

  async #read(type: string): Promise<Versions> {
    const rows = await query<VersionRow>(this.db.pool, convertersStatement, [type]);
    const isWhole = rows.every(({ version, converter }) => version === 1 || converter !== null);
    return { byNumber: new Map(rows.map((row) => [row.version, row])), isWhole };
  }
}
