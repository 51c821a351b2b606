import type { Converter } from '../../domain/content/converter.js';
import { listNames } from '../../domain/events/event-type.js';
import { nearestWord } from '../../domain/text/nearest-word.js';
import type { InputIssue } from '../../errors.js';
import { piece } from '../../platform/concurrency/in-pieces.js';
import { type HasPool, query, type Statement } from '../../platform/database/database.js';
import { compileEventSchema, type PayloadCheck, TooCostly } from '../../platform/payload-checks/payload-check.js';
import type { KnownTypes } from '../fields/kind-rules.js';
import { Remembered } from '../rows/remembered.js';
import { issuesOf } from './payload-issue.js';

export const NO_SUCH_TYPE =
  'There is no such event type. A platform key registers it with registerEventType: see docs/event-types.md.';

export interface RegisteredEventType {
  name: string;
  description: string;
  /** JSON Schema 2020-12 of the payload, as text. */
  schema: string;
  /** Raised with each change of the schema. */
  version: number;
  /** Whether payloads of this version can become those of the version before. */
  converts: boolean;
  /** JSON; null: none was found. */
  samplePayload: string | null;
  reserved: boolean;
  deprecatedAt: Date | null;
  hiddenAt: Date | null;
  createdAt: Date;
}

type Row = Omit<RegisteredEventType, 'schema'> & {
  /** Null: the version that was known already. */
  schema: string | null;
};

interface Compiled {
  type: RegisteredEventType;
  /** Made at its first use: compiling costs milliseconds. */
  check: PayloadCheck | undefined;
}

interface EventTypes {
  all: readonly RegisteredEventType[];
  byName: ReadonlyMap<string, Compiled>;
}

/** Below the 5 s after which a new type must be known everywhere. */
const CACHE_AGE_MAX_MS = 4_000;
/** An unknown name reads the registry again at most this often. */
const REREAD_EVERY_MS = 1_000;
export const VERSIONS_SHOWN_MAX = 20;

/** A schema that has not changed is not sent again. */
const readStatement: Statement = {
  name: 'read_event_types',
  text: `select t.name, t.description, case when known.version is distinct from t.version then t.schema end as schema,
                t.version, v.converter is not null as converts, t.sample_payload as "samplePayload", t.reserved, t.deprecated_at as "deprecatedAt",
                t.hidden_at as "hiddenAt", t.created_at as "createdAt"
         from hookwright.event_types t
         left join hookwright.event_type_versions v on v.event_type = t.name and v.version = t.version
         left join unnest($1::text[], $2::integer[]) as known(name, version) on known.name = t.name
         order by t.name`,
};

const versionsStatement: Statement = {
  name: 'read_event_type_versions',
  text: `select event_type as "eventType", version, schema, converter, converter_from as "converterFrom",
                created_at as "createdAt"
         from (select *, row_number() over (partition by event_type order by version desc) as nth
               from hookwright.event_type_versions where event_type = any($1)) versions
         where nth <= $2 order by event_type, version desc`,
};

/** A schema that an event type has or had. */
export interface EventTypeVersionRow {
  eventType: string;
  version: number;
  schema: string;
  /** The steps to the version before; null: there are none. */
  converter: Converter | null;
  /** The id of the first event that they are for; null: all of the version. */
  converterFrom: number | null;
  createdAt: Date;
}

/** The event types and their schemas. Each process has one, which remembers the registry for a few seconds. */
export class EventTypeRegistry {
  readonly #reads: Remembered<'types', EventTypes>;
  #last: EventTypes = { all: [], byName: new Map() };

  /** @param now monotonic, in ms */
  constructor(
    private readonly db: HasPool,
    now: () => number,
  ) {
    this.#reads = new Remembered(1, now);
  }

  /** Every event type, ordered by name. Returns the same list until one of them changes. */
  async all(): Promise<readonly RegisteredEventType[]> {
    return (await this.#read(CACHE_AGE_MAX_MS)).all;
  }

  async names(): Promise<KnownTypes> {
    const all = await this.all();
    const named = (types: typeof all) => types.map(({ name }) => name);
    return { all: named(all), shown: named(all.filter(({ hiddenAt }) => hiddenAt === null)) };
  }

  /**
   * Judges a payload by the schema of its type. Paths start with `eventType` or `payload`.
   *
   * @param tenantId whose payload it is, null: the installation's
   * @returns the broken rules, none for a good payload; and the version that it was judged by, null: one without a
   *   converter
   */
  async check(
    eventType: string,
    payload: unknown,
    tenantId: number | null = null,
  ): Promise<{ issues: InputIssue[]; version: number | null }> {
    const found = await this.#find(eventType);
    const refuse = (code: string, detail: string) => ({
      issues: [{ path: ['eventType'], code, detail }],
      version: null,
    });
    if (found === undefined) {
      const nearest = nearestWord(this.#emittable(), eventType);
      return refuse(
        'event_type_unknown',
        nearest === undefined
          ? `${NO_SUCH_TYPE} ${this.#known()}`
          : `There is no such event type; did you mean ${nearest}?`,
      );
    }
    if (found.type.reserved) {
      return refuse('event_type_reserved', `Only the service itself emits events of this type. ${this.#known()}`);
    }
    if (found.type.deprecatedAt !== null) {
      return refuse('event_type_deprecated', `The event type is deprecated. ${this.#known()}`);
    }
    const { converts, version } = found.type;
    const issues = await piece(tenantId, () => brokenRulesOf(checkOf(found), payload));
    return { issues, version: converts ? version : null };
  }

  /** Judges a payload by the schema alone: the type may be reserved or deprecated. Paths start with `payload`. */
  async brokenRules(eventType: string, payload: unknown, tenantId: number | null = null): Promise<InputIssue[]> {
    const found = await this.#find(eventType);
    return found === undefined ? [] : piece(tenantId, () => brokenRulesOf(checkOf(found), payload));
  }

  /** Makes the next question read the database: this process has just changed it. */
  forget(): void {
    this.#reads.forget('types');
  }

  /** The last schemas of each type, the newest first. */
  async versions(names: readonly string[]): Promise<EventTypeVersionRow[]> {
    return await query<EventTypeVersionRow>(this.db.pool, versionsStatement, [names, VERSIONS_SHOWN_MAX]);
  }

  #known(): string {
    return `Known types: ${listNames(this.#emittable())}.`;
  }

  #emittable(): string[] {
    return this.#last.all
      .filter(({ reserved, deprecatedAt, hiddenAt }) => !reserved && deprecatedAt === null && hiddenAt === null)
      .map(({ name }) => name);
  }

  async #find(name: string): Promise<Compiled | undefined> {
    const { byName } = await this.#read(CACHE_AGE_MAX_MS);
    return byName.get(name) ?? (await this.#read(REREAD_EVERY_MS)).byName.get(name);
  }

  #read(ageMaxMs: number): Promise<EventTypes> {
    return this.#reads.get('types', ageMaxMs, async () => {
      const last = this.#last;
      const { all, byName } = last;
      const known = [all.map(({ name }) => name), all.map(({ version }) => version)];
      const rows = await query<Row>(this.db.pool, readStatement, known);
      if (rows.length === all.length && rows.every((row) => isUnchanged(row, byName.get(row.name)?.type))) {
        return last;
      }
      const types = rows.map((row) => compiledOf(row, byName.get(row.name)));
      this.#last = { all: types.map(({ type }) => type), byName: new Map(types.map((one) => [one.type.name, one])) };
      return this.#last;
    });
  }
}

/** @param known the type as it was read before */
const compiledOf = (row: Row, known: Compiled | undefined): Compiled =>
  row.schema === null
    ? { type: { ...row, schema: known!.type.schema }, check: known!.check }
    : { type: { ...row, schema: row.schema }, check: undefined };

function checkOf(compiled: Compiled): PayloadCheck {
  compiled.check ??= compileEventSchema(compiled.type.schema);
  return compiled.check;
}

/** Paths start with `payload`. */
export function brokenRulesOf(check: PayloadCheck, payload: unknown): InputIssue[] {
  try {
    return issuesOf(check.brokenRules(payload), payload);
  } catch (error) {
    if (error instanceof TooCostly) {
      return [error.issue];
    }
    throw error;
  }
}

/** The schema is null where the database has the known version. */
function isUnchanged(row: Row, known: RegisteredEventType | undefined): boolean {
  return (
    known !== undefined &&
    row.schema === null &&
    row.converts === known.converts &&
    row.description === known.description &&
    row.samplePayload === known.samplePayload &&
    row.deprecatedAt?.getTime() === known.deprecatedAt?.getTime() &&
    row.hiddenAt?.getTime() === known.hiddenAt?.getTime()
  );
}
