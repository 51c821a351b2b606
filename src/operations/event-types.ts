import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Database, query } from '../database.js';
import type { InputIssue } from '../errors.js';

/** A row of the registry. */
export interface RegisteredEventType {
  name: string;
  description: string;
  /** JSON Schema 2020-12 of the payload, as text. */
  schema: string;
  reserved: boolean;
  deprecatedAt: Date | null;
  createdAt: Date;
}

interface Compiled {
  type: RegisteredEventType;
  validate: ValidateFunction;
}

/** Below the 5 s after which a new type must be known everywhere. */
const CACHE_AGE_MAX_MS = 4_000;
/** Names that nobody registered must not cost a query each. */
const REREAD_EVERY_MS = 1_000;
const ISSUES_MAX = 20;

/** The event types and the schemas of their payloads. One per process: it remembers the registry for a few seconds. */
export class EventTypeRegistry {
  #types: ReadonlyMap<string, Compiled> = new Map();
  #readAtMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;

  constructor(
    private readonly db: Pick<Database, 'pool'>,
    private readonly clock: () => Date,
  ) {}

  /** Every event type, by name. */
  async all(): Promise<RegisteredEventType[]> {
    await this.#refresh(CACHE_AGE_MAX_MS);
    return [...this.#types.values()].map(({ type }) => type);
  }

  async names(): Promise<string[]> {
    return (await this.all()).map(({ name }) => name);
  }

  async has(name: string): Promise<boolean> {
    return (await this.#find(name)) !== null;
  }

  /**
   * Judges a payload by the schema of its type. Paths start with `event` or `payload`.
   *
   * @returns the broken rules, none for a good payload
   */
  async check(eventType: string, payload: unknown): Promise<InputIssue[]> {
    const found = await this.#find(eventType);
    if (found === null) {
      return [
        {
          path: ['event'],
          code: 'event_type_unknown',
          detail: `There is no such event type. ${this.#known()}`,
        },
      ];
    }
    if (found.type.reserved) {
      const detail = `Only the service itself emits events of this type. ${this.#known()}`;
      return [{ path: ['event'], code: 'event_type_reserved', detail }];
    }
    if (found.validate(payload)) {
      return [];
    }
    return (found.validate.errors ?? []).slice(0, ISSUES_MAX).map((error) => issueOf(error, payload));
  }

  #known(): string {
    const names = [...this.#types.values()].filter(({ type }) => !type.reserved).map(({ type }) => type.name);
    return `Known types: ${names.join(', ')}.`;
  }

  async #find(name: string): Promise<Compiled | null> {
    await this.#refresh(CACHE_AGE_MAX_MS);
    if (!this.#types.has(name)) {
      await this.#refresh(REREAD_EVERY_MS);
    }
    return this.#types.get(name) ?? null;
  }

  async #refresh(ageMaxMs: number): Promise<void> {
    const age = this.clock().getTime() - this.#readAtMs;
    if (age >= 0 && age < ageMaxMs) {
      return;
    }
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    await this.#reading;
  }

  async #read(): Promise<void> {
    const readAtMs = this.clock().getTime();
    const types = await query<RegisteredEventType>(
      this.db.pool,
      {
        name: 'read_event_types',
        text: `select name, description, schema, reserved, deprecated_at as "deprecatedAt", created_at as "createdAt"
               from hookwright.event_types order by name`,
      },
      [],
    );
    const compiled = new Map<string, Compiled>();
    for (const type of types) {
      // Compiling costs milliseconds: what has not changed is kept.
      const before = this.#types.get(type.name);
      const validate = before?.type.schema === type.schema ? before.validate : compile(type.schema);
      compiled.set(type.name, { type, validate });
    }
    this.#types = compiled;
    this.#readAtMs = readAtMs;
  }
}

/** Not `strict`: keywords that ajv does not know are annotations in JSON Schema. An instance each, so `$id`s may repeat. */
function compile(schema: string): ValidateFunction {
  return new Ajv2020({ allErrors: true, strict: false, validateFormats: false }).compile(JSON.parse(schema));
}

function issueOf(error: ErrorObject, payload: unknown): InputIssue {
  const path: (string | number)[] = ['payload'];
  let at = payload;
  for (const part of error.instancePath.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(at) ? Number(name) : name);
    at = (at as Record<string, unknown> | undefined)?.[name];
  }
  const property = error.params['missingProperty'] ?? error.params['additionalProperty'];
  if (typeof property === 'string') {
    path.push(property);
  }
  const detail =
    error.keyword === 'required'
      ? 'is required'
      : error.keyword === 'additionalProperties'
        ? 'is not a field of this event type'
        : (error.message ?? 'breaks the schema of this event type');
  return { path, code: `schema_${error.keyword}`, detail };
}
