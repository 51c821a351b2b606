/** How large an installation is made. */
export interface Size {
  /** At least 2. */
  tenants: number;
  /** At least 2 for each tenant. */
  webhooks: number;
  deliveries: number;
}

/** Deliveries go back so far. */
export const DAYS = 10;
export const HOURS = 24 * DAYS;

const LARGEST_PART = 50;
const LARGEST_WEBHOOKS_MIN = 100;
const BUSY_MAX = 100;
/** Webhooks are in bad states by so many in a thousand; in a small installation at least this many are. */
const BAD_PERMILLE = 10;
const BAD_PERMILLE_MAX = 60;
const BAD_MIN = 60;
const THOUSAND = 1_000;

/**
 * Who has which webhook and in which state it is, as arithmetic: statements compute it, and look nothing up.
 *
 * A webhook has a place, from 0 on: those of a tenant are beside each other, the largest tenant's first. In the table
 * they are mixed, as they are when tenants come and go.
 */
export class Plan {
  /** Webhooks of the largest tenant. */
  readonly largest: number;
  /** The tenants after the largest one that get a quarter of all events. */
  readonly busy: number;
  readonly #step: number;
  readonly #stepBack: number;
  readonly #bad: number;

  /**
   * @param firstTenant the id of the largest tenant; the others follow
   * @param firstWebhook the lowest id of the webhooks
   */
  constructor(
    readonly size: Size,
    readonly firstTenant: number,
    readonly firstWebhook: number,
  ) {
    const { tenants, webhooks } = size;
    if (tenants < 2 || webhooks < 2 * tenants) {
      throw new RangeError(
        `${tenants} tenants with ${webhooks} webhooks: allowed are 2 and more, each with 2 and more.`,
      );
    }
    this.largest = Math.max(
      Math.floor(webhooks / LARGEST_PART),
      Math.min(LARGEST_WEBHOOKS_MIN, Math.floor(webhooks / 4)),
    );
    this.busy = Math.min(BUSY_MAX, Math.ceil((tenants - 1) / 10));
    this.#step = coprimeTo(webhooks);
    this.#stepBack = inverse(this.#step, webhooks);
    const permille = Math.round((BAD_MIN * THOUSAND) / webhooks);
    this.#bad = Math.min(BAD_PERMILLE_MAX, Math.max(BAD_PERMILLE, permille));
  }

  /** The place of a webhook by its number among the ids, from 0 on. */
  placeAt(number: number): number {
    return (number * this.#step) % this.size.webhooks;
  }

  tenantAt(place: number): number {
    const { tenants, webhooks } = this.size;
    const { largest, firstTenant } = this;
    return place < largest
      ? firstTenant
      : firstTenant + 1 + Math.floor(((place - largest) * (tenants - 1)) / (webhooks - largest));
  }

  /** SQL: the place of a webhook by its number among the ids. */
  placeSql(number: string): string {
    return `((${number})::bigint * ${this.#step} % ${this.size.webhooks})`;
  }

  /** SQL: the id of the webhook at a place. */
  webhookSql(place: string): string {
    return `(${this.firstWebhook} + (${place})::bigint * ${this.#stepBack} % ${this.size.webhooks})`;
  }

  /** SQL: the id of the tenant that has the webhook at a place. */
  tenantSql(place: string): string {
    const { tenants, webhooks } = this.size;
    return `(case when ${place} < ${this.largest} then ${this.firstTenant}
                  else ${this.firstTenant + 1} + (${place} - ${this.largest}) * ${tenants - 1}::bigint / ${webhooks - this.largest}
             end)`;
  }

  /** SQL: the first place of a tenant, by its number from 0 on; the largest one is not counted. */
  firstPlaceSql(tenant: string): string {
    const { tenants, webhooks } = this.size;
    return `(${this.largest} + ((${tenant})::bigint * ${webhooks - this.largest} + ${tenants - 2}) / ${tenants - 1})`;
  }

  /** SQL condition: the webhook at the place is disabled, by failures or, one in ten, as gone. */
  disabledSql = (place: string) => this.#between(place, 0, 1);
  goneSql = (place: string) => this.#between(place, 0, 0.1);
  /** SQL condition: it was disabled so long ago that it holds nothing any more. */
  longDisabledSql = (place: string) => `(${this.disabledSql(place)} and ${place} % 2 = 0)`;
  /** SQL condition: it is active, and its last three attempts or more have failed. */
  failingSql = (place: string) => this.#between(place, 1, 1.5);
  pausedSql = (place: string) => this.#between(place, 1.5, 2);
  /** SQL condition: its endpoint has asked for a pause, and deliveries wait for its end. */
  closedSql = (place: string) => this.#between(place, 2, 3);
  /** SQL condition: it collects events. */
  holdsSql = (place: string) => `(${this.disabledSql(place)} and ${place} % 2 = 1 or ${this.pausedSql(place)})`;
  /** SQL: when it was disabled or paused. No hold ends within a day. */
  disabledAtSql = (place: string) =>
    `(now() - case when ${this.longDisabledSql(place)} then interval '8 days' * (1 + ${place} % 40)
                   else interval '1 hour' * (1 + ${place} * 13 % 140) end)`;
  /** SQL condition: one in a thousand times this many of those in a good state has some options. */
  optionsSql = (place: string, from: number, until: number) =>
    `(${bucket(place)} >= ${from} and ${bucket(place)} < ${until})`;

  #between(place: string, from: number, until: number): string {
    return `(${bucket(place)} >= ${from * this.#bad} and ${bucket(place)} < ${until * this.#bad})`;
  }
}

/** The busiest webhooks, which have the first places, are in no bad state. */
const bucket = (place: string) => `(${place} * 37 + 500) % ${THOUSAND}`;

function coprimeTo(count: number): number {
  let step = 7919;
  while (greatestDivisor(step, count) > 1) {
    step += 2;
  }
  return step;
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));

/** @returns x with `a * x % modulus` = 1 */
function inverse(a: number, modulus: number): number {
  let [remainder, next, x, nextX] = [a % modulus, modulus, 1, 0];
  while (next !== 0) {
    const quotient = Math.floor(remainder / next);
    [remainder, next] = [next, remainder - quotient * next];
    [x, nextX] = [nextX, x - quotient * nextX];
  }
  return ((x % modulus) + modulus) % modulus;
}
