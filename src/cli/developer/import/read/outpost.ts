import { z } from 'zod';
import type { EventFilter } from '../../../../domain/content/filter.js';
import { below, OtherFilterError, type Place, translated } from './operators.js';
import type { Found, Reading, ReadOptions } from './reading.js';
import { Source, SourceError } from './source.js';

/** Reads Outpost: its tenants with their webhook destinations (docs/from-outpost.md). */

export interface OutpostOptions extends ReadOptions {
  from: string;
}

const PAGE = '100';

const tenants = z.object({
  models: z.array(z.object({ id: z.string() })),
  pagination: z.object({ next: z.string().nullish() }).nullish(),
});
const texts = z.record(z.string(), z.string());
const destination = z.object({
  id: z.string(),
  type: z.string(),
  topics: z.union([z.string(), z.array(z.string())]),
  filter: z.record(z.string(), z.unknown()).nullish(),
  disabled_at: z.string().nullish(),
  config: texts.nullish(),
  credentials: texts.nullish(),
  delivery_metadata: texts.nullish(),
  metadata: texts.nullish(),
});
const destinationList = z.array(destination);
type Destination = z.infer<typeof destination>;

/** @throws SourceError */
export async function* readOutpost(options: OutpostOptions): Reading {
  const source = new Source(options.from, 'OUTPOST_API_KEY');
  for await (const tenant of options.only ?? tenantsOf(source)) {
    const destinations = await destinationsOf(source, tenant);
    if (destinations.length === 0) {
      yield { tenant: { v: 1, from: `outpost:${tenant}`, tenant: { externalId: tenant, name: null } } };
    }
    for (const one of destinations) {
      yield readDestination(tenant, one);
    }
  }
}

/** Outpost lists tenants only where its Redis can search. */
async function* tenantsOf(source: Source): AsyncGenerator<string, void, void> {
  for (let next: string | null | undefined = null; ; ) {
    const page: z.infer<typeof tenants> = await source
      .get('/tenants', tenants, { limit: PAGE, next })
      .catch((error: SourceError) => {
        const cannotList = error.status === 404 || error.status === 501;
        throw cannotList ? new Error(`${error.message} Name the tenants to read: --only <tenant>, repeatable.`) : error;
      });
    yield* page.models.map(({ id }) => id);
    next = page.pagination?.next;
    if (!next) {
      return;
    }
  }
}

async function destinationsOf(source: Source, tenant: string): Promise<Destination[]> {
  const path = `/${encodeURIComponent(tenant)}/destinations`;
  try {
    return await source.get(`/tenants${path}`, destinationList);
  } catch (error) {
    if (!(error instanceof SourceError && error.status === 404)) {
      throw error;
    }
    return source.get(path, destinationList); // Outpost before 2026
  }
}

function readDestination(tenant: string, one: Destination): Found {
  const from = `outpost:${tenant}/${one.id}`;
  const topics = [one.topics].flat();
  const patterns = topics.filter((topic) => topic !== '*' && topic.includes('*'));
  if (one.type !== 'webhook') {
    return { leftOut: { from, reason: `is no webhook, but ${one.type}` } };
  }
  if (topics.length === 0) {
    return { leftOut: { from, reason: 'subscribes to no topic, so it gets nothing' } };
  }
  if (patterns.length > 0) {
    const reason = `subscribes to patterns (${patterns.join(', ')}): name the topics there one by one, or take "*"`;
    return { leftOut: { from, reason } };
  }
  const { secret, previous_secret: previousSecret, previous_secret_invalid_at: endsAt } = one.credentials ?? {};
  const { headers, notes: ofHeaders } = headersOf(one.config?.['custom_headers']);
  const { filter, notes: ofFilter } = filterOf(one.filter);
  const extra = Object.keys(one.delivery_metadata ?? {});
  const ofMetadata =
    extra.length === 0 ? [] : [`delivery_metadata is not sent: ${extra.join(', ')}; plain headers can say the same`];
  return {
    webhook: {
      v: 1,
      from,
      tenant: { externalId: tenant, name: null },
      externalId: one.id,
      url: one.config?.['url'] ?? '',
      events: topics.includes('*') ? ['*'] : topics,
      secret: secret || null,
      previousSecret: previousSecret || null,
      previousSecretExpiresAt: (previousSecret && endsAt) || null,
      compat: 'outpost',
      active: one.disabled_at == null && ofFilter.length === 0,
      metadata: one.metadata ?? {},
      headers,
      filter: filter as Record<string, unknown> | null,
      notes: [...ofHeaders, ...ofFilter, ...ofMetadata, ...(secret ? [] : ['it has no secret: it gets a new one'])],
    },
  };
}

/** Custom headers are often keys, so nobody gets to read them. @param text JSON */
function headersOf(text = '{}') {
  let given: unknown;
  try {
    given = JSON.parse(text || '{}');
  } catch {} // as any other value that is no object of texts
  const read = texts.safeParse(given);
  const secret = (value: string) => ({ value, secret: true });
  return read.success
    ? {
        headers: Object.fromEntries(Object.entries(read.data).map(([name, value]) => [name, secret(value)])),
        notes: [],
      }
    : { headers: {}, notes: ['its custom headers are no object of texts'] };
}

/** Outpost's filters look at an event with `topic` and `data`, those here at the payload and `@type`. */
function filterOf(written: Destination['filter']): { filter: EventFilter | null; notes: string[] } {
  if (!written || Object.keys(written).length === 0) {
    return { filter: null, notes: [] };
  }
  try {
    return { filter: translated(written, 'event', placeInEvent), notes: [] };
  } catch (error) {
    if (!(error instanceof OtherFilterError)) {
      throw error;
    }
    return { filter: null, notes: [`paused: its filter ${error.message}; write it again here`] };
  }
}

function placeInEvent(name: string, above: Place): Place {
  if (above !== 'event') {
    return below(name, above);
  }
  return name === 'data' ? [] : name === 'topic' ? '@type' : below(name, above);
}
