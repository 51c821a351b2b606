import { HookwrightError } from './error.js';
import type { AnyEvents, EmitTarget, Emitted, EventName, EventOptions } from './events.js';

export interface OutboxOptions {
  /** The tenant's number, `tn_…`, or `ext:` and its external id, which servers before 0.2 do not know. */
  tenant?: string | number | undefined;
}

export interface OutboxEmitOptions extends OutboxOptions, EventOptions {
  /** 1 to 255 printable ASCII characters. The same key within 7 days gives the same event. Default: none. */
  idempotencyKey?: string | undefined;
  /** True says that you have checked the payload: Postgres checks only schemas whose fields are all texts. */
  schemaChecked?: boolean | undefined;
  /** With `schemaChecked`: the version of the schema that the payload has. Default: the newest one. */
  schemaVersion?: number | undefined;
}

/** Emits inside one transaction. */
export interface OutboxEmitter<Events extends object> {
  /**
   * Emits an event that becomes real when the transaction commits.
   *
   * @throws HookwrightError for a refused event, after which Postgres only takes a rollback; any other error of the
   *   database as it comes
   */
  emit<Event extends EventName<Events>>(
    event: Event,
    payload: Events[Event],
    options?: OutboxEmitOptions,
  ): Promise<Emitted>;
}

type Value = string | number | boolean | null;
type Values = Value[];

/** A call of hookwright.emit. */
interface Call {
  values: Values;
  /** The names and types of its last values, which only newer servers know. */
  named: readonly (readonly [name: string, type: string])[];
}
type Run = (call: Call) => Promise<unknown>;

/** What `sql` of Drizzle makes of a template. */
type Sql<Query> = (strings: TemplateStringsArray, ...values: never[]) => Query;

/** For each way to Postgres: give it the transaction. */
export interface Outbox<Events extends object = AnyEvents> {
  /** A client of `pg` on which you have begun a transaction. */
  pg(client: { query(text: string, values: Values): Promise<unknown> }): OutboxEmitter<Events>;
  /** The client that `prisma.$transaction(async (tx) => …)` hands over. */
  prisma(tx: { $queryRawUnsafe(text: string, ...values: Values): PromiseLike<unknown> }): OutboxEmitter<Events>;
  /** The transaction of `db.transaction(async (tx) => …)`, and Drizzle's own `sql`. */
  drizzle<Query>(tx: { execute(query: Query): PromiseLike<unknown> }, sql: Sql<Query>): OutboxEmitter<Events>;
  /** The manager of `dataSource.transaction(async (manager) => …)`. */
  typeorm(manager: { query(text: string, values: Values): Promise<unknown> }): OutboxEmitter<Events>;
  /** The manager of `em.transactional(async (em) => …)`. */
  mikroorm(em: { execute(text: string, values: Values): Promise<unknown> }): OutboxEmitter<Events>;
  /** The transaction of `db.transaction().execute(async (trx) => …)`. */
  kysely(trx: { executeQuery(query: never): Promise<unknown> }): OutboxEmitter<Events>;
  /** The transaction of `knex.transaction(async (trx) => …)`. */
  knex(trx: { raw(text: string, values: Values): PromiseLike<unknown> }): OutboxEmitter<Events>;
}

const columns = 'event_id as "eventId", delivery_count as "deliveryCount", duplicate';
const EXTERNAL = 'ext:';
const tenantOf = (mark: string, tenant: unknown) =>
  String(tenant).startsWith(EXTERNAL)
    ? `hookwright.tenant_id(substr(${mark}::text, ${EXTERNAL.length + 1}))`
    : `${mark}::bigint`;
const CHECKED = 5;
const textOf = (mark: (position: number) => string, { values: [tenant], named }: Call): string =>
  `select ${columns} from hookwright.emit(${tenantOf(mark(1), tenant)}, ${mark(2)}::text, ${mark(3)}::text, ` +
  `idempotency_key => ${mark(4)}::text, schema_checked => ${mark(CHECKED)}::boolean` +
  `${named.map(([name, type], index) => `, ${name} => ${mark(CHECKED + 1 + index)}::${type}`).join('')})`;
const numbered = (call: Call) => textOf((position) => `$${position}`, call);
const marked = (call: Call) => textOf(() => '?', call);

/**
 * Makes emitters for an application that keeps its data in the database of Hookwright (docs/outbox.md). They need no
 * API key: its login has been granted the tenant.
 */
export function createOutbox<Events extends object = AnyEvents>(defaults: OutboxOptions = {}): Outbox<Events> {
  const by = (run: Run): OutboxEmitter<Events> => ({
    emit: (event, payload, options = {}) =>
      emit(run, event, payload, { ...options, tenant: options.tenant ?? defaults.tenant }),
  });
  return {
    pg: (client) => by((call) => client.query(numbered(call), call.values)),
    prisma: (tx) => by(async (call) => await tx.$queryRawUnsafe(numbered(call), ...call.values)),
    drizzle: (tx, sql) =>
      by(async (call) => await tx.execute(sql(templateOf(numbered(call)), ...(call.values as never[])))),
    typeorm: (manager) => by((call) => manager.query(numbered(call), call.values)),
    mikroorm: (em) => by((call) => em.execute(marked(call), call.values)),
    kysely: (trx) => by((call) => trx.executeQuery(compiledQuery(numbered(call), call.values) as never)),
    knex: (trx) => by(async (call) => await trx.raw(marked(call), call.values)),
  };
}

/** The texts between the marks, as a tagged template gets them. */
function templateOf(text: string): TemplateStringsArray {
  const strings = text.split(/\$\d+/);
  return Object.assign(strings, { raw: strings });
}

/** What `CompiledQuery.raw` of Kysely makes. */
const compiledQuery = (sql: string, parameters: Values) => ({
  sql,
  parameters,
  query: { kind: 'RawNode', sqlFragments: [sql], parameters: [] },
  queryId: { queryId: crypto.randomUUID() },
});

async function emit(run: Run, event: string, payload: unknown, options: OutboxEmitOptions): Promise<Emitted> {
  const { tenant, idempotencyKey, schemaChecked = false } = options;
  const [, number, external] = /^(?:(?:tn_)?(\d+)|(ext:.+))$/.exec(String(tenant)) ?? [];
  const tenantId = number ?? external;
  if (tenantId === undefined) {
    const message = `tenant is ${JSON.stringify(tenant)}, and must be its number, tn_…, or ext: and its external id`;
    throw new HookwrightError(message, { code: 'tenant_required', issues: [], idempotencyKey });
  }
  const given = givenIn(options, idempotencyKey);
  const values = [tenantId, event, JSON.stringify(payload), idempotencyKey ?? null, schemaChecked];
  const call = {
    values: [...values, ...given.map(({ value }) => value)],
    named: given.map(({ name, type }) => [name, type] as const),
  };
  const result = await run(call).catch((error: unknown) => {
    throw refusalIn(error)?.of({ event, idempotencyKey }) ?? error;
  });
  const rows = Array.isArray(result) ? result : (result as { rows: unknown[] }).rows;
  const { eventId, deliveryCount, duplicate } = rows[0] as {
    eventId: unknown;
    deliveryCount: number;
    duplicate: boolean;
  };
  return { eventId: `ev_${eventId}`, deliveryCount, duplicate };
}

/** The arguments that are given: servers before 0.2 do not know them. */
function givenIn(options: OutboxEmitOptions, idempotencyKey: string | undefined) {
  const { orderingKey, schemaVersion, keepHours, previous, to } = options;
  const all: { name: string; type: string; value: Value | undefined }[] = [
    { name: 'ordering_key', type: 'text', value: orderingKey },
    { name: 'schema_version', type: 'integer', value: schemaVersion },
    { name: 'keep_hours', type: 'integer', value: keepHours },
    { name: 'previous', type: 'text', value: previous && JSON.stringify(previous) },
    {
      name: 'targets',
      type: 'jsonb',
      value: to && JSON.stringify(to.map((one, at) => target(one, at, idempotencyKey))),
    },
  ];
  return all.filter((one): one is typeof one & { value: Value } => one.value !== undefined);
}

/** A target as SQL takes it. @throws HookwrightError for an id that no webhook has */
function target({ webhookId, externalId, path }: EmitTarget, at: number, idempotencyKey: string | undefined) {
  const [, number] = /^(?:wh_)?(\d+)$/.exec(String(webhookId)) ?? [];
  if (webhookId !== undefined && number === undefined) {
    const message = `is ${JSON.stringify(webhookId)}, and must be wh_… or its number`;
    const code = 'webhook_unknown';
    const issues = [{ path: ['to', at, 'webhookId'], code, message }];
    throw new HookwrightError(`to.${at}.webhookId ${message}`, { code, issues, idempotencyKey });
  }
  return { webhook_id: number === undefined ? undefined : Number(number), external_id: externalId, path };
}

interface PostgresError {
  code?: unknown;
  originalCode?: unknown;
  message?: string;
  originalMessage?: string;
  detail?: string;
  hint?: string;
}

/** Where libraries keep the error of Postgres that they have wrapped. */
const wrapped = ['cause', 'driverError', 'originalError', 'meta', 'driverAdapterError'];
const LEVELS_MAX = 5;

/** The refusal of hookwright.emit in an error: SQLSTATE HW001 to HW019, whose detail is a code. */
function refusalIn(error: unknown, level = 0): HookwrightError | undefined {
  if (typeof error !== 'object' || error === null || level > LEVELS_MAX) {
    return undefined;
  }
  const { code, originalCode, originalMessage, message, detail, hint } = error as PostgresError;
  if ([code, originalCode].some((state) => /^HW0\d\d$/.test(String(state)))) {
    const sentence = `${originalMessage ?? message ?? ''} ${hint ?? ''}`;
    return new HookwrightError(sentence.trim(), { code: (detail ?? 'refused').toLowerCase(), cause: error });
  }
  for (const name of wrapped) {
    const found = refusalIn((error as Record<string, unknown>)[name], level + 1);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}
