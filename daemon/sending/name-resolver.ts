import { createSocket } from 'node:dgram';
import type { LookupAddress, RecordWithTtl } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { BoundedMap } from '../../src/domain/collections/bounded-map.js';
import { NamesPulse } from './names-pulse.js';

interface NameResolverOptions {
  /** The longest that a question may take. Default 2000. */
  timeoutMs?: number;
  /** How many names are remembered. Default 10,000. */
  namesMax?: number;
  /** DNS servers (`127.0.0.1:5353`); default: those of the system. */
  servers?: readonly string[];
}

/** Gives all addresses of a name: the caller judges them. */
export type NameResolver = ((name: string) => Promise<LookupAddress[]>) & {
  /** Whether no name resolves any more (`NamesPulse.gone`). */
  gone?: (failed?: string) => Promise<boolean>;
  /** Called when a name's answer is refused, which is then remembered for no longer than a failure. */
  refused?: (name: string) => void;
};

/** No name resolves, not even those that did a moment ago: a fault of our own. */
export class NamesGone extends Error {
  override readonly name = 'NamesGone';
  readonly code = 'NAMES_GONE';
}

/** Answers are kept as long as their TTL says, and no longer than this. */
const ANSWER_MS_MAX = 30_000;
/** An answer may have thousands of addresses, and there are many names: longer answers are not remembered. */
const ADDRESSES_REMEMBERED_MAX = 16;
/** Long enough to spare the servers a burst, too short to burn a retry on a hiccup that has passed. */
const FAILURE_MS = 1_000;
/** The servers say so of a name. Any other error may be their fault, or that of the way there. */
const ABSENT: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

interface Entry {
  answeredAt: number;
  expiresAt: number;
  answer: Promise<LookupAddress[]>;
}

/**
 * Resolves names with c-ares, not `dns.lookup`: that runs getaddrinfo on libuv's four threads, so that four names
 * whose servers never answer would stop every delivery (and every file operation). The price: /etc/hosts, search
 * domains and NSS are not consulted.
 *
 * A name that fails while no other one resolves either fails as NamesGone.
 */
export function createNameResolver(options: NameResolverOptions = {}): NameResolver {
  const { timeoutMs = 2000, namesMax = 10_000, servers } = options;
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 2), tries: 2 });
  if (servers !== undefined) {
    resolver.setServers(servers);
  }
  const ask = (name: string) => addressesOf(resolver, name, timeoutMs);
  const pulse = new NamesPulse(async (name) => {
    const { addresses, isSilent } = await ask(name);
    if (isSilent) {
      throw new NoAddress();
    }
    return addresses.length > 0;
  });
  const answers = new Answers(async (name) => {
    let found = await ask(name);
    if (found.isSilent) {
      await requireSocket();
      if (await pulse.gone(name)) {
        throw new NamesGone();
      }
      // The others resolve. They may have come back since this one was asked for.
      found = await ask(name);
    }
    if (found.addresses.length === 0) {
      throw new NoAddress();
    }
    pulse.resolved(name);
    return found;
  }, namesMax);
  return Object.assign((name: string) => answers.of(name), {
    gone: (failed?: string) => pulse.gone(failed),
    refused: (name: string) => answers.rememberAsFailed(name),
  });
}

/** The addresses of names. Questions that are under way are shared. */
class Answers {
  readonly #entries: BoundedMap<string, Entry>;

  constructor(
    private readonly find: (name: string) => Promise<Found>,
    namesMax: number,
  ) {
    this.#entries = new BoundedMap(namesMax);
  }

  of(name: string): Promise<LookupAddress[]> {
    const known = this.#entries.get(name);
    if (known !== undefined && known.expiresAt > performance.now()) {
      return known.answer;
    }
    const entry = this.#ask(name);
    this.#entries.renew(name, entry);
    entry.answer
      .catch(() => {})
      .then(() => {
        if (entry.expiresAt <= performance.now() && this.#entries.get(name) === entry) {
          this.#entries.delete(name);
        }
      });
    return entry.answer;
  }

  rememberAsFailed(name: string): void {
    const known = this.#entries.get(name);
    if (known !== undefined) {
      known.expiresAt = Math.min(known.expiresAt, known.answeredAt + FAILURE_MS);
    }
  }

  /** The entry expires once it has an answer. */
  #ask(name: string): Entry {
    const never = Number.POSITIVE_INFINITY;
    const entry: Entry = { answeredAt: never, expiresAt: never, answer: Promise.resolve([]) };
    const remember = (keptMs: number) => {
      entry.answeredAt = performance.now();
      entry.expiresAt = entry.answeredAt + keptMs;
    };
    entry.answer = this.find(name).then(
      ({ addresses, ttlSeconds }) => {
        remember(addresses.length > ADDRESSES_REMEMBERED_MAX ? 0 : Math.min(ttlSeconds * 1000, ANSWER_MS_MAX));
        return addresses;
      },
      (error: unknown) => {
        remember(FAILURE_MS);
        throw error;
      },
    );
    return entry;
  }
}

interface Found {
  addresses: LookupAddress[];
  ttlSeconds: number;
  /** Whether there is none, and the servers did not say so for both families. */
  isSilent: boolean;
}

/** c-ares calls it a refused connection. @throws what Node says when this machine has no more sockets */
async function requireSocket(): Promise<void> {
  const socket = createSocket('udp4');
  try {
    socket.bind();
    await once(socket, 'listening');
  } finally {
    socket.close();
  }
}

class NoAddress extends Error {
  readonly code = 'ENOTFOUND';
}

/**
 * Asks for both families and waits for both, but for no longer than the limit: servers that never answer AAAA
 * questions are common. IPv4 comes first, since more networks have IPv6 half-working than IPv4.
 */
async function addressesOf(resolver: Resolver, name: string, timeoutMs: number): Promise<Found> {
  const ipv4: RecordWithTtl[] = [];
  const ipv6: RecordWithTtl[] = [];
  const answered = Promise.allSettled([
    resolver.resolve4(name, { ttl: true }).then((records) => ipv4.push(...records)),
    resolver.resolve6(name, { ttl: true }).then((records) => ipv6.push(...records)),
  ]);
  const results = await Promise.race([answered, delay(timeoutMs, null, { ref: false })]);
  const records = [...ipv4, ...ipv6];
  const isAbsent = results?.every((result) => result.status === 'rejected' && ABSENT.has(result.reason.code));
  return {
    addresses: [
      ...ipv4.map(({ address }) => ({ address, family: 4 })),
      ...ipv6.map(({ address }) => ({ address, family: 6 })),
    ],
    ttlSeconds: records.reduce((least, { ttl }) => Math.min(least, ttl), Number.POSITIVE_INFINITY),
    isSilent: records.length === 0 && !isAbsent,
  };
}
