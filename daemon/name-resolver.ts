import type { LookupAddress, RecordWithTtl } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { NamesPulse } from './names-pulse.js';

export interface NameResolverOptions {
  /** The longest that a question may take. Default 2000. */
  timeoutMs?: number;
  /** How many names are remembered. Default 10,000. */
  namesMax?: number;
  /** DNS servers (`127.0.0.1:5353`); default: those of the system. */
  servers?: readonly string[];
}

/**
 * A `lookup` that can tell besides whether no name resolves any more.
 *
 * `gone` says so when names that resolved within the last hour no longer do, none of the three newest but `except`; no
 * name of that kind says nothing about our side.
 */
export type NameResolver = LookupFunction & { gone?: (except?: string) => Promise<boolean> };

/** No name resolves, also none of those that did a moment ago: a fault of our own, whoever is asked for. */
export class NamesGone extends Error {
  override readonly name = 'NamesGone';
  readonly code = 'NAMES_GONE';
}

/** Answers are kept as long as their TTL says, and no longer than this. */
const ANSWER_MS_MAX = 30_000;
/** Long enough to spare the servers a burst, too short to burn a retry on a hiccup that has passed. */
const FAILURE_MS = 1_000;
/** What the servers themselves say of a name. All else may be the servers' fault, or that of the way there. */
const ABSENT: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

interface Entry {
  expiresAt: number;
  answer: Promise<LookupAddress[]>;
}

/**
 * Resolves names with c-ares, not `dns.lookup`: that runs getaddrinfo on libuv's four threads, so that four names
 * whose servers never answer would stop every delivery (and every file operation). The price: /etc/hosts, search
 * domains and NSS are not consulted. All answers are given, whatever they are: the caller judges them.
 *
 * A name that fails while no other one resolves either fails as NamesGone.
 */
export function createNameResolver(options: NameResolverOptions = {}): NameResolver {
  const { timeoutMs = 2000, namesMax = 10_000, servers } = options;
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 2), tries: 2 });
  if (servers !== undefined) resolver.setServers(servers);
  const entries = new Map<string, Entry>();
  const pulse = new NamesPulse((name) => addressesOf(resolver, name, timeoutMs));

  const find = async (name: string) => {
    try {
      const found = await addressesOf(resolver, name, timeoutMs);
      pulse.resolved(name);
      return found;
    } catch (error) {
      const isAbsent = error instanceof NoAddress && error.absent;
      throw !isAbsent && (await pulse.gone(name)) ? new NamesGone() : error;
    }
  };
  const answerTo = (name: string): Promise<LookupAddress[]> => {
    const known = entries.get(name);
    if (known !== undefined && known.expiresAt > performance.now()) return known.answer;
    entries.delete(name);
    if (entries.size >= namesMax) {
      for (const oldest of entries.keys()) {
        entries.delete(oldest);
        break;
      }
    }
    const entry = ask(find(name));
    entries.set(name, entry);
    return entry.answer;
  };

  const lookup: LookupFunction = (hostname, { all }, callback) => {
    answerTo(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (all || first === undefined) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
  return Object.assign(lookup, { gone: (except?: string) => pulse.gone(except) });
}

/** Questions that are under way are shared: the entry expires once it has an answer. */
function ask(found: Promise<Found>): Entry {
  const entry: Entry = { expiresAt: Number.POSITIVE_INFINITY, answer: Promise.resolve([]) };
  entry.answer = found.then(
    ({ addresses, ttlSeconds }) => {
      entry.expiresAt = performance.now() + Math.min(ttlSeconds * 1000, ANSWER_MS_MAX);
      return addresses;
    },
    (error: unknown) => {
      entry.expiresAt = performance.now() + FAILURE_MS;
      throw error;
    },
  );
  return entry;
}

interface Found {
  addresses: LookupAddress[];
  ttlSeconds: number;
}

class NoAddress extends Error {
  readonly code = 'ENOTFOUND';

  /** @param absent whether the servers said for both families that there is none */
  constructor(readonly absent: boolean) {
    super('no address');
  }
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
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), timeoutMs);
  });
  const results = await Promise.race([answered, late]);
  clearTimeout(timer);

  const records = [...ipv4, ...ipv6];
  if (records.length === 0) {
    throw new NoAddress(
      results?.every((result) => result.status === 'rejected' && ABSENT.has(result.reason.code)) ?? false,
    );
  }
  return {
    addresses: [...toAddresses(ipv4, 4), ...toAddresses(ipv6, 6)],
    ttlSeconds: records.reduce((least, { ttl }) => Math.min(least, ttl), Number.POSITIVE_INFINITY),
  };
}

function toAddresses(records: readonly RecordWithTtl[], family: 4 | 6): LookupAddress[] {
  return records.map(({ address }) => ({ address, family }));
}
