/** If nothing has resolved for this long, a failing name is blamed again. */
const BLAMED_AFTER_MS = 3_600_000;
const ZONES_REMEMBERED = 16;
/** A name that was asked for within this time is not asked for again: the answer is shared. */
const FRESH_MS = 1_000;
/** Names come back one after the other, and what was under way fails a little later. */
const AFTERMATH_MS = 5_000;

interface Known {
  name: string;
  resolvedAt: number;
  /** Fails when its servers did not answer the question of `askedAt`. */
  answered: Promise<void>;
  askedAt: number;
}

/**
 * Whether names resolve at all. When one fails, those of other zones that have resolved lately are asked for again:
 * while any of them does, the fault is not ours. No stranger's name is asked for (docs/decisions/0023).
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
    const { answered = Promise.resolve(), askedAt = Number.NEGATIVE_INFINITY } = this.#known.get(zone) ?? {};
    this.#known.delete(zone);
    this.#known.set(zone, { name, resolvedAt: this.now(), answered, askedAt });
    if (this.#known.size > ZONES_REMEMBERED) {
      this.#known.delete(this.#known.keys().next().value!);
    }
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
    if (others.some(({ resolvedAt }) => resolvedAt > since)) {
      // A zone whose servers are silent keeps nobody waiting while another one's answer.
      await Promise.any(others.map((known) => this.#ask(known))).catch(() => {
        this.#goneAt = this.now();
      });
    }
    return this.now() - this.#goneAt < AFTERMATH_MS;
  }

  #ask(known: Known): Promise<void> {
    if (this.now() - known.askedAt > FRESH_MS) {
      known.askedAt = this.now();
      known.answered = this.resolve(known.name).then((exists) => {
        if (exists) {
          this.resolved(known.name);
        } else {
          this.#known.delete(zoneOf(known.name));
        }
      });
    }
    return known.answered;
  }
}

/** A name's last two labels: names that share them mostly have one owner, and fail together. */
const zoneOf = (name: string): string => name.toLowerCase().split('.').filter(Boolean).slice(-2).join('.');
