import type pg from 'pg';
import { destroySocket } from './destroy-socket.js';
import { urlsOfHosts } from './hosts-url.js';
import { hasMoved, isName } from './moved-host.js';
import { askHosts, type Found, type Host, roleOf } from './server-role.js';
import { SQL_STATE } from './sql-state.js';

/** After a search that found no primary, all connections that are asked for in this time fail with its error. */
const SEARCH_EVERY_MS = 250;
const WATCH_EVERY_MS = 10_000;

type News = (message: string) => void;

/** Read like a server that is away (outage.ts): somebody promotes a standby, or ends the second primary. */
class NoPrimary extends Error {
  readonly code = SQL_STATE.STARTING_OR_ENDING;
}

/** Two servers took writes since they parted: only a person knows which of them is right. */
class TwoPrimaries extends NoPrimary {}

/**
 * Finds which of the hosts of a url takes writes, and keeps to it. One for all connections of a process, because it
 * remembers the newest primary: a server with an older timeline, a former primary that has come back, is refused, also
 * where the url names one host (docs/operate.md, "Failover").
 */
export class Primary {
  static readonly #byUrl = new Map<string, Primary>();

  /** @param url the one that the process has begun with, also where another is followed since */
  static of(url: string): Primary {
    const primary = Primary.#byUrl.get(url) ?? new Primary(url);
    Primary.#byUrl.set(url, primary);
    return primary;
  }

  /** Gets each change that a person should know: another primary, two of them. */
  onNews: News = () => {};
  #lastNews = '';
  #known: Found | undefined;
  #search: Promise<Found> | undefined;
  #newest: { system: string | null; timeline: number } = { system: null, timeline: 0 };
  readonly #connected = new Map<pg.Client, Found>();
  #watch: NodeJS.Timeout | undefined;

  /** The newest url. */
  #url: string;
  #read: () => string;

  private constructor(url: string) {
    this.#url = url;
    this.#read = () => url;
  }

  /** @param read gives the url of each connection that is made from now on; it must not throw */
  follow(read: () => string): void {
    this.#read = read;
  }

  /** @returns the url of a connection that is made now */
  readUrl(): string {
    const url = this.#read();
    if (url !== this.#url) {
      this.#url = url;
      this.forget();
    }
    return url;
  }

  /** The newest url of each host. */
  get urls(): readonly string[] {
    return urlsOfHosts(this.#url);
  }

  /** The newest that this process has connected to; null: none, or servers do not tell. */
  get timeline(): number | null {
    return this.#newest.timeline || null;
  }

  /** @returns null for a url with one host: it is taken as it is */
  async find(): Promise<Host | null> {
    if (this.urls.length === 1) {
      return null;
    }
    return this.#known ?? (await this.#searchShared());
  }

  /** The next connection asks all hosts again. */
  forget(): void {
    this.#known = undefined;
  }

  /**
   * Takes a new connection, or refuses it.
   *
   * @throws NoPrimary when it leads to a standby where a url names several hosts, to a former primary, or to another
   *   cluster
   */
  async admit(client: pg.Client): Promise<void> {
    const standing = await roleOf(client);
    const { host, port } = client;
    const found = { ...standing, host, port, name: `${host}:${port}` };
    const refusal = this.#refusalOf(found);
    if (refusal !== null) {
      this.forget();
      throw new NoPrimary(refusal);
    }
    this.#remember(found);
    this.#connected.set(client, found);
    client.once('end', () => this.#connected.delete(client));
    if (this.urls.length > 1 || isName(host) || found.isStandby) {
      this.#watch ??= this.#lookLater();
    }
  }

  #refusalOf({ name, isStandby, timeline, system }: Found): string | null {
    if (isStandby) {
      return this.urls.length > 1 ? `${name} is a standby` : null;
    }
    const { system: knownSystem, timeline: knownTimeline } = this.#newest;
    if (system !== null && knownSystem !== null && system !== knownSystem) {
      return `${name} is another cluster (system identifier ${system}) than this process began with (${knownSystem}): restart the process if that is meant`;
    }
    return timeline !== null && timeline < knownTimeline
      ? `${name} is a former primary, on timeline ${timeline}: this process knows timeline ${knownTimeline}`
      : null;
  }

  /** Cuts off connections to servers that are older than the newest. */
  #remember({ name, timeline, system }: Found): void {
    const { system: knownSystem, timeline: knownTimeline } = this.#newest;
    this.#newest = { system: knownSystem ?? system, timeline: Math.max(knownTimeline, timeline ?? 0) };
    if (timeline !== null && knownTimeline > 0 && timeline > knownTimeline) {
      this.#tell(`Postgres failed over: ${name} is the primary, on timeline ${timeline} (before: ${knownTimeline})`);
      this.#cut((other) => other.timeline !== null && other.timeline < timeline);
    }
  }

  /** Once, although every look finds the same. */
  #tell(news: string): void {
    if (news !== this.#lastNews) {
      this.#lastNews = news;
      this.onNews(news);
    }
  }

  #cut(isOld: (connected: Found) => boolean): void {
    for (const [client, connected] of this.#connected) {
      if (isOld(connected)) {
        this.#connected.delete(client);
        destroySocket(client, new NoPrimary(`${connected.name} is not the primary any more`));
      }
    }
  }

  #searchShared(): Promise<Found> {
    this.#search ??= this.#askAll().then(
      (found) => {
        this.#known = found;
        this.#search = undefined;
        return found;
      },
      (error) => {
        setTimeout(() => {
          this.#search = undefined;
        }, SEARCH_EVERY_MS).unref();
        throw error;
      },
    );
    return this.#search;
  }

  /** @throws NoPrimary with what each host says */
  async #askAll(): Promise<Found> {
    const { primaries, reasons } = await askHosts(this.urls);
    const usable = primaries.filter((found) => {
      const refusal = this.#refusalOf(found);
      reasons.push(...(refusal === null ? [] : [refusal]));
      return refusal === null;
    });
    const [newest, second] = usable.sort((one, other) => (other.timeline ?? 0) - (one.timeline ?? 0));
    if (newest === undefined) {
      throw new NoPrimary(`No host of DATABASE_URL is a primary: ${reasons.join('; ')}`);
    }
    if (second !== undefined && second.timeline === newest.timeline) {
      throw new TwoPrimaries(
        `Two hosts of DATABASE_URL are primaries on timeline ${newest.timeline}, and neither is used: ${newest.name}, ${second.name}. End one of them`,
      );
    }
    if (second !== undefined) {
      this.#tell(`Two hosts are primaries: ${newest.name} is used, ${second.name} has an older timeline. End it`);
    }
    return newest;
  }

  #lookLater(): NodeJS.Timeout {
    return setTimeout(async () => {
      if (this.#connected.size > 0 && (this.urls.length > 1 || (await this.#mayLeadElsewhere()))) {
        await this.#look();
      }
      this.#watch = this.#connected.size > 0 ? this.#lookLater() : undefined;
    }, WATCH_EVERY_MS).unref();
  }

  /** Whether a new connection to the only host may lead to another server than those that are there. */
  async #mayLeadElsewhere(): Promise<boolean> {
    const connected = [...this.#connected];
    return connected.some(([, { isStandby }]) => isStandby) || (await hasMoved(connected));
  }

  /** Finds a second primary, or the one to which the name has moved: neither breaks a connection by itself. */
  async #look(): Promise<void> {
    try {
      const found = await this.#askAll();
      this.#known = found;
      this.#remember(found);
      this.#cut(({ name, timeline, isStandby }) => isStandby || (name !== found.name && timeline !== found.timeline));
    } catch (error) {
      this.forget();
      if (error instanceof TwoPrimaries) {
        this.#tell(error.message);
        this.#cut(() => true);
      }
    }
  }
}
