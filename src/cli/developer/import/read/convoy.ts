import { z } from 'zod';
import { endpoint, readEndpoint } from './convoy-endpoint.js';
import { compatOf, project } from './convoy-signature.js';
import { ownFilter, type Piece, piecesOf, subscription } from './convoy-subscriptions.js';
import { gathered, isWanted, mapped, type Reading, type ReadOptions } from './reading.js';
import { Source, SourceError } from './source.js';

/** Reads a project of Convoy: its endpoints, with what they subscribe to, and its event types (docs/from-convoy.md). */

export interface ConvoyOptions extends ReadOptions {
  from: string;
  project: string;
}

const PAGE = '100';
const SUBSCRIPTIONS_AT_ONCE = 4;

const answer = <Data extends z.ZodType>(data: Data) => z.object({ data });
const page = <Item extends z.ZodType>(item: Item) =>
  answer(
    z.object({
      content: z.array(item).nullish(),
      pagination: z.object({ has_next_page: z.boolean().nullish(), next_page_cursor: z.string().nullish() }).nullish(),
    }),
  );
const text = z.string().nullish();
const eventTypes = answer(
  z.object({
    event_types: z
      .array(
        z.object({ name: z.string(), description: text, json_schema: z.record(z.string(), z.unknown()).nullish() }),
      )
      .nullish(),
  }),
);
const filters = answer(z.array(ownFilter).nullish());

/** @throws SourceError */
export async function* readConvoy(options: ConvoyOptions): Reading {
  const source = new Source(options.from, 'CONVOY_API_KEY');
  const path = `/projects/${encodeURIComponent(options.project)}`;
  const { data: about } = await source.get(path, answer(project));
  const types = await orNone(source.get(`${path}/event-types`, eventTypes), [401, 403, 404]);
  for (const { name, description, json_schema: schema } of types?.data.event_types ?? []) {
    // Convoy has a type of its own for "all".
    if (name !== '*') {
      yield { eventType: { v: 1, from: `convoy:event-type/${name}`, eventType: { name, description, schema } } };
    }
  }
  const pieces = await subscriptionsOf(source, path);
  const forms = new Set<string>();
  for await (const one of all(source, `${path}/endpoints`, endpoint)) {
    const owner = one.owner_id || options.project;
    if (isWanted(options, owner)) {
      const { compat, form } = compatOf(about, options.project, one.advanced_signatures ?? false);
      if (form !== null && !forms.has(compat)) {
        forms.add(compat);
        yield { form: { name: compat, form } };
      }
      const tenant = { externalId: owner, name: one.owner_id ? null : about.name };
      yield readEndpoint(
        one,
        { tenant, compat, from: `convoy:${options.project}/${one.uid}` },
        pieces.get(one.uid) ?? [],
      );
    }
  }
}

/** The subscriptions by endpoints. Newer versions have filters for each type, beside the subscription. */
async function subscriptionsOf(source: Source, path: string): Promise<Map<string, Piece[]>> {
  const found = await gathered(all(source, `${path}/subscriptions`, subscription));
  const pieces = new Map<string, Piece[]>();
  const read = mapped(found, SUBSCRIPTIONS_AT_ONCE, async (one) => ({
    one,
    own: await orNone(source.get(`${path}/subscriptions/${encodeURIComponent(one.uid)}/filters`, filters), [404, 405]),
  }));
  for await (const { one, own } of read) {
    const uid = one.endpoint_metadata?.uid;
    if (uid !== undefined) {
      pieces.set(uid, [...(pieces.get(uid) ?? []), ...piecesOf(one, own?.data ?? [])]);
    }
  }
  return pieces;
}

/** @param statuses of answers that mean: this version, or this key, does not have it */
async function orNone<Answer>(asked: Promise<Answer>, statuses: readonly number[]): Promise<Answer | null> {
  return asked.catch((error: unknown) => {
    if (error instanceof SourceError && statuses.includes(error.status)) {
      return null;
    }
    throw error;
  });
}

/** All items of a list, page after page. */
async function* all<Item extends z.ZodType>(
  source: Source,
  path: string,
  item: Item,
): AsyncGenerator<z.infer<Item>, void, void> {
  for (let cursor: string | null = null; ; ) {
    const query: Record<string, string | null> = { perPage: PAGE, direction: 'next', next_page_cursor: cursor };
    const { data }: z.infer<ReturnType<typeof page<Item>>> = await source.get(path, page(item), query);
    yield* data.content ?? [];
    const { has_next_page: hasNext, next_page_cursor: next } = data.pagination ?? {};
    if (hasNext == null && data.content?.length === Number(PAGE)) {
      throw new Error(
        'This Convoy pages its lists by numbers: upgrade it to one that pages by cursors (2023 or later).',
      );
    }
    if (!hasNext || !next || next === cursor) {
      return;
    }
    cursor = next;
  }
}
