import { HookwrightError } from './error.js';
import type { AnyEvents, Emitted, EventName } from './events.js';

export interface OutboxOptions {
  /** The tenant's number, `tn_…`, or `ext:` and its external id, which servers before 0.2 do not know. */
  tenant?: string | number | undefined;
}

export interface OutboxEmitOptions extends OutboxOptions {
  /** 1 to 255 printable ASCII characters. The same key within 7 days gives the same event. Default: none. */
  idempotencyKey?: string | undefined;
  /** 1 to 255 printable ASCII characters. Webhooks that keep an order send events of one key one after the other. */
  orderingKey?: string | undefined;
  /** True says that you have checked the payload: Postgres checks only schemas whose fields are all texts. */
  schemaChecked?: boolean | undefined;
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

type Values = (string | number | boolean | null)[];
type Run = (values: Values) => Promise<unknown>;

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
const statement = (mark: (position: number) => string, [tenant]: Values) =>
  `select ${columns} from hookwright.emit(${tenantOf(mark(1), tenant)}, ${mark(2)}::text, ${mark(3)}::text, ` +
  `idempotency_key => ${mark(4)}::text, schema_checked => ${mark(5)}::boolean`;
/** Servers before 0.2 know no ordering keys. */
const textOf = (mark: (position: number) => string, values: Values): string =>
  `${statement(mark, values)}${values.length > 5 ? `, ordering_key => ${mark(6)}::text` : ''})`;
const numbered = (values: Values) => textOf((position) => `$${position}`, values);
const marked = (values: Values) => textOf(() => '?', values);

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
    pg: (client) => by((values) => client.query(numbered(values), values)),
    prisma: (tx) => by(async (values) => await tx.$queryRawUnsafe(numbered(values), ...values)),
    drizzle: (tx, sql) =>
      by(async (values) => await tx.execute(sql(templateOf(numbered(values)), ...(values as never[])))),
    typeorm: (manager) => by((values) => manager.query(numbered(values), values)),
    mikroorm: (em) => by((values) => em.execute(marked(values), values)),
    kysely: (trx) => by((values) => trx.executeQuery(compiledQuery(numbered(values), values) as never)),
    knex: (trx) => by(async (values) => await trx.raw(marked(values), values)),
  };
}

/** The texts between the marks, as a tagged template gets them. */
function templateOf(text: string): TemplateStringsArray {
  const strings = text.split(/\$\d/);
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
  const { tenant, idempotencyKey, orderingKey, schemaChecked = false } = options;
  const [, number, external] = /^(?:(?:tn_)?(\d+)|(ext:.+))$/.exec(String(tenant)) ?? [];
  const tenantId = number ?? external;
  if (tenantId === undefined) {
    const message = `tenant is ${JSON.stringify(tenant)}, and must be its number, tn_…, or ext: and its external id`;
    throw new HookwrightError(message, { code: 'tenant_required', issues: [], idempotencyKey });
  }
  const values: Values = [tenantId, event, JSON.stringify(payload), idempotencyKey ?? null, schemaChecked];
  if (orderingKey !== undefined) {
    values.push(orderingKey);
  }
  const result = await run(values).catch((error: unknown) => {
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

/** The refusal of hookwright.emit in an error: SQLSTATE HW001 to HW012, whose detail is a code. */
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
