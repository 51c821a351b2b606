import { z } from 'zod';
import { gathered, isWanted, mapped, type Reading, type ReadOptions } from './reading.js';
import { Source } from './source.js';

/** Reads Svix: its applications with their endpoints, and its event types (docs/from-svix.md). */

export interface SvixOptions extends ReadOptions {
  from: string;
}

const PAGE = '250';
/** Two requests each: secret and headers. */
const ENDPOINTS_AT_ONCE = 4;

/** Svix hides six names alone; the others that have such a word are secret here too. */
const LIKE_A_SECRET = /auth|key|passw|secret|token/i;

const page = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), iterator: z.string().nullish(), done: z.boolean().nullish() });

const application = z.object({
  id: z.string(),
  uid: z.string().nullish(),
  name: z.string(),
  rateLimit: z.number().nullish(),
});
const endpoint = z.object({
  id: z.string(),
  uid: z.string().nullish(),
  url: z.string(),
  description: z.string().nullish(),
  disabled: z.boolean().nullish(),
  eventTypes: z.array(z.string()).nullish(),
  /** The same in versions before 2026. */
  filterTypes: z.array(z.string()).nullish(),
  channels: z.array(z.string()).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  rateLimit: z.number().nullish(),
  throttleRate: z.number().nullish(),
});
const secret = z.object({ key: z.string() });
const headers = z.object({ headers: z.record(z.string(), z.string()), sensitive: z.array(z.string()) });
const eventType = z.object({
  name: z.string(),
  description: z.string().nullish(),
  archived: z.boolean().nullish(),
  schemas: z.record(z.string(), z.record(z.string(), z.unknown())).nullish(),
});

type Application = z.infer<typeof application>;
type Endpoint = z.infer<typeof endpoint>;

/** @throws SourceError */
export async function* readSvix(options: SvixOptions): Reading {
  const source = new Source(options.from, 'SVIX_AUTH_TOKEN');
  for await (const type of all(source, '/event-type', eventType, { with_content: 'true' })) {
    const { name, description, schemas, archived } = type;
    if (archived) {
      continue; // nothing sends it any more; an endpoint that still names it has it registered without rules
    }
    const newest = Object.keys(schemas ?? {}).sort((one, other) => Number(other) - Number(one))[0];
    const schema = newest === undefined ? null : schemas![newest];
    yield { eventType: { v: 1, from: `svix:event-type/${name}`, eventType: { name, description, schema } } };
  }
  for await (const app of all(source, '/app', application)) {
    if (isWanted(options, app.uid ?? app.id)) {
      const endpoints = await gathered(all(source, `/app/${encodeURIComponent(app.id)}/endpoint`, endpoint));
      if (endpoints.length === 0) {
        yield { tenant: { v: 1, from: `svix:${app.id}`, tenant: tenantOf(app) } };
      }
      yield* mapped(endpoints, ENDPOINTS_AT_ONCE, (one) => readEndpoint(source, app, one));
    }
  }
}

/** An empty name says nothing: the tenant is called by its external id. */
const tenantOf = ({ id, uid, name }: Application) => ({ externalId: uid ?? id, name: name.trim() || null });

async function readEndpoint(source: Source, app: Application, one: Endpoint) {
  const path = `/app/${encodeURIComponent(app.id)}/endpoint/${encodeURIComponent(one.id)}`;
  const [{ key }, { headers: plain, sensitive }] = await Promise.all([
    source.get(`${path}/secret`, secret),
    source.get(`${path}/headers`, headers),
  ]);
  // The public half of a key pair: the private one is nowhere to be read.
  const isPair = key.startsWith('whpk_');
  const channels = one.channels ?? [];
  const notes = [
    ...(sensitive.length > 0
      ? [`paused: its secret headers are not readable: ${sensitive.join(', ')}; set them here, and enable it`]
      : []),
    ...(channels.length > 0
      ? [`paused: it got the channels ${channels.join(', ')} alone; write a filter on a field in their place`]
      : []),
    ...(isPair ? ['paused: it is signed with a key pair; give the receiver the new secret of a rotation'] : []),
    ...(app.rateLimit == null ? [] : [`its application is limited to ${app.rateLimit} messages a second in all`]),
  ];
  const webhook = {
    v: 1 as const,
    from: `svix:${app.id}/${one.id}`,
    tenant: tenantOf(app),
    externalId: one.uid ?? one.id,
    url: one.url,
    events: typesOf(one),
    secret: isPair ? null : key,
    previousSecret: null,
    compat: 'svix',
    active: !one.disabled && channels.length === 0 && sensitive.length === 0 && !isPair,
    name: null,
    description: one.description || null,
    metadata: one.metadata ?? {},
    headers: Object.fromEntries(
      Object.entries(plain).map(([name, value]) => [name, { value, secret: LIKE_A_SECRET.test(name) }]),
    ),
    auth: null,
    filter: null,
    ratePerSecond: one.throttleRate ?? one.rateLimit ?? null,
    timeoutMs: null,
    notes,
  };
  return { webhook };
}

/** Without a list, and with an empty one, an endpoint of Svix gets all types. */
function typesOf({ eventTypes, filterTypes }: Endpoint): string[] {
  const types = eventTypes ?? filterTypes ?? [];
  return types.length === 0 ? ['*'] : types;
}

/** All items of a list, page after page. */
async function* all<Item extends z.ZodType>(
  source: Source,
  path: string,
  item: Item,
  query: Readonly<Record<string, string>> = {},
): AsyncGenerator<z.infer<Item>, void, void> {
  for (let iterator: string | null | undefined = null; ; ) {
    const answer: z.infer<ReturnType<typeof page<Item>>> = await source.get(path, page(item), {
      ...query,
      limit: PAGE,
      iterator,
    });
    yield* answer.data;
    if (answer.done !== false || answer.iterator == null || answer.iterator === iterator) {
      return;
    }
    iterator = answer.iterator;
  }
}
