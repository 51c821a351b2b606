/** When nothing has resolved for so long, whoever is asked for is to blame again. */
const REMEMBERED_MS = 3_600_000;
const NAMES_REMEMBERED = 16;
const NAMES_ASKED = 3;
/** Whoever wants to know of a name that was just asked for gets the same answer. */
const FRESH_MS = 1_000;

interface Known {
  resolvedAt: number;
  /** Whether it still resolves, as it was found at `askedAt`. */
  resolves: Promise<boolean>;
  askedAt: number;
}

/**
 * Whether names resolve at all. When one fails, some that have resolved lately are asked for again: while any of them
 * does, the fault is not ours. No stranger's name is asked for.
 */
export class NamesPulse {
  /** By name; the newest last. */
  readonly #known = new Map<string, Known>();

  constructor(
    /** Fails when the name does not resolve. */
    private readonly resolve: (name: string) => Promise<unknown>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** A name has resolved. */
  resolved(name: string): void {
    const now = this.now();
    this.#known.delete(name);
    this.#known.set(name, {
      resolvedAt: now,
      resolves: Promise.resolve(true),
      askedAt: Number.NEGATIVE_INFINITY,
    });
    if (this.#known.size > NAMES_REMEMBERED) {
      const [oldest] = this.#known.keys();
      this.#known.delete(oldest!);
    }
  }

  /**
   * @param except a name that fails anyway
   * @returns whether names that resolved within the last hour, `except` aside, no longer do; false when there are none
   */
  async gone(except?: string): Promise<boolean> {
    const since = this.now() - REMEMBERED_MS;
    const names = [...this.#known].filter(([name, { resolvedAt }]) => name !== except && resolvedAt > since);
    const asked = names.slice(-NAMES_ASKED).map(([name, known]) => this.#ask(name, known));
    return asked.length > 0 && !(await Promise.all(asked)).includes(true);
  }

  #ask(name: string, known: Known): Promise<boolean> {
    if (this.now() - known.askedAt > FRESH_MS) {
      known.askedAt = this.now();
      known.resolves = this.resolve(name).then(
        () => {
          this.resolved(name);
          return true;
        },
        () => false,
      );
    }
    return known.resolves;
  }
}
