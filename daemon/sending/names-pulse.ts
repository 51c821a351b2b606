/** If nothing has resolved for this long, a failing name is blamed again. */
const BLAMED_AFTER_MS = 3_600_000;
const ZONES_REMEMBERED = 16;
/** A name that was asked for within this time is not asked for again: the answer is shared. */
const FRESH_MS = 1_000;
/** Names come back one after the other, and what was under way fails a little later. */
const AFTERMATH_MS = 5_000;

interface Known {
  name: string;
  /** Whose deliveries go to names of the zone. Undefined: nobody's so far. */
  tenant: number | 'SEVERAL' | undefined;
  resolvedAt: number;
  /** Whether it still resolves, as it was found at `askedAt`. */
  resolves: Promise<boolean>;
  askedAt: number;
}

/**
 * Whether names resolve at all. When one fails, those of other zones that have resolved lately are asked for again:
 * while any of them does, the fault is not ours. No stranger's name is asked for.
 */
export class NamesPulse {
  /** By zone, the name that was the last to resolve; the newest last. */
  readonly #known = new Map<string, Known>();
  #goneAt = Number.NEGATIVE_INFINITY;

  constructor(
    /** Fails when the name does not resolve; false: its servers say that it has no address, so they can be asked. */
    private readonly resolve: (name: string) => Promise<boolean>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** A name has resolved. That says nothing of the next moment: only what was asked for when one failed does. */
  resolved(name: string): void {
    const zone = zoneOf(name);
    const {
      tenant,
      resolves = Promise.resolve(true),
      askedAt = Number.NEGATIVE_INFINITY,
    } = this.#known.get(zone) ?? {};
    this.#known.delete(zone);
    this.#known.set(zone, { name, tenant, resolvedAt: this.now(), resolves, askedAt });
    if (this.#known.size > ZONES_REMEMBERED) {
      this.#forgetOne();
    }
  }

  /** Whose delivery a name that has just resolved was for. */
  calledBy(name: string, tenantId: number): void {
    const known = this.#known.get(zoneOf(name));
    if (known !== undefined) {
      known.tenant = known.tenant === undefined || known.tenant === tenantId ? tenantId : 'SEVERAL';
    }
  }

  /** The oldest zone of who has most of them: no tenant can push out those of others. */
  #forgetOne(): void {
    const byTenant = Map.groupBy(this.#known, ([, { tenant }]) => tenant);
    const most = [...byTenant.values()].reduce((most, zones) => (zones.length > most.length ? zones : most));
    this.#known.delete(most[0]![0]);
  }

  /**
   * @param failed a name that does not resolve; its whole zone says nothing
   * @returns whether names do not resolve at all: one did within the last hour, and none that is remembered does now,
   *   or that was so some seconds ago; false when none is remembered
   */
  async gone(failed?: string): Promise<boolean> {
    const since = this.now() - BLAMED_AFTER_MS;
    const zone = failed === undefined ? undefined : zoneOf(failed);
    const others = [...this.#known].filter(([key]) => key !== zone).map(([, known]) => known);
    // The older ones are asked for too: they may be all that is known of other tenants' names.
    if (
      others.some(({ resolvedAt }) => resolvedAt > since) &&
      !(await anyOf(others.map((known) => this.#ask(known))))
    ) {
      this.#goneAt = this.now();
    }
    return this.now() - this.#goneAt < AFTERMATH_MS;
  }

  #ask(known: Known): Promise<boolean> {
    if (this.now() - known.askedAt > FRESH_MS) {
      known.askedAt = this.now();
      known.resolves = this.resolve(known.name).then(
        (exists) => {
          if (exists) {
            this.resolved(known.name);
          } else {
            this.#known.delete(zoneOf(known.name));
          }
          return true;
        },
        () => false,
      );
    }
    return known.resolves;
  }
}

/** Its last two labels: names that share them mostly have one owner, and fail together. */
const zoneOf = (name: string): string => name.toLowerCase().split('.').filter(Boolean).slice(-2).join('.');

/** True as soon as one is: a zone whose servers do not answer keeps nobody waiting while another one's do. */
function anyOf(answers: readonly Promise<boolean>[]): Promise<boolean> {
  return new Promise((resolve) => {
    for (const answer of answers) {
      void answer.then((isTrue) => isTrue && resolve(true));
    }
    void Promise.all(answers).then(() => resolve(false));
  });
}
