import 'reflect-metadata';
import { ArgsType, type ClassType, Field, Int, ObjectType } from 'type-graphql';
import { FRESH } from '../../database/tenant-database.js';
import { type InputIssue, requireNoIssues } from '../../errors.js';

/** Relay connections (relay.dev/graphql/connections.htm), newest first, with keyset cursors over the id. */

export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 100;

@ArgsType()
export class ConnectionArgs {
  @Field(() => Int, {
    nullable: true,
    description: `How many of the newest: 1 to ${PAGE_MAX}, default ${PAGE_DEFAULT}.`,
  })
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'Only what comes after this cursor, so older.' })
  after?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: `How many from the end: 1 to ${PAGE_MAX}. Not together with \`first\`.`,
  })
  last?: number | null;

  @Field(() => String, { nullable: true, description: 'Only what comes before this cursor, so newer.' })
  before?: string | null;
}

/** What a connection reads: at most `limit` rows with `above < id < below`, in this order of ids. */
export interface Slice {
  above: number | null;
  below: number | null;
  order: 'asc' | 'desc';
  limit: number;
}

/** Lists that have cursors: one of the deliveries of a webhook is a list of deliveries too. */
type ListName =
  | 'apiKeys'
  | 'auditLog'
  | 'bulkOperations'
  | 'deliveries'
  | 'events'
  | 'fanOut'
  | 'portalSessions'
  | 'tenants'
  | 'webhooks';

type Read<Node> = (slice: Slice) => Promise<Node[]>;

@ObjectType({ description: 'Where a page lies in the whole list.' })
class PageInfo {
  constructor(
    cursors: { start: string | null; end: string | null },
    private readonly probes: { next: () => Promise<boolean>; previous: () => Promise<boolean> },
  ) {
    this.startCursor = cursors.start;
    this.endCursor = cursors.end;
  }

  @Field(() => String, { nullable: true, description: 'The cursor of the first edge; null for an empty page.' })
  startCursor: string | null;

  @Field(() => String, { nullable: true, description: 'The cursor of the last edge; null for an empty page.' })
  endCursor: string | null;

  @Field(() => Boolean, { description: 'Whether there is more after this page.' })
  hasNextPage(): Promise<boolean> {
    return this.probes.next();
  }

  @Field(() => Boolean, { description: 'Whether there is more before this page.' })
  hasPreviousPage(): Promise<boolean> {
    return this.probes.previous();
  }
}

export interface Connection<Node> {
  edges: { cursor: string; node: Node }[];
  pageInfo: PageInfo;
}

/**
 * The GraphQL type of a list of such nodes.
 *
 * @param plural for the descriptions: "events"
 */
export function connectionOf<Node extends object>(
  node: ClassType<Node>,
  name: string,
  plural: string,
): ClassType<Connection<Node>> {
  const noun = name
    .replaceAll(/(?<=[a-z])[A-Z]/g, ' $&')
    .toLowerCase()
    .replace(/^api\b/, 'API');
  const article = /^[aeiou]/i.test(noun) ? 'An' : 'A';

  @ObjectType(`${name}Edge`, { description: `${article} ${noun} in a list.` })
  class Edge {
    @Field(() => String, { description: 'For `after` and `before`; its content has no meaning of its own.' })
    cursor!: string;

    @Field(() => node, { description: `The ${noun} itself.` })
    node!: Node;
  }

  @ObjectType(`${name}Connection`, { description: `A page of a list of ${plural}, newest first.` })
  class ConnectionType implements Connection<Node> {
    @Field(() => [Edge], { description: 'What is on this page.' })
    edges!: Edge[];

    @Field(() => PageInfo, { description: 'Where the page lies.' })
    pageInfo!: PageInfo;
  }
  return ConnectionType;
}

/**
 * Reads one page: a single query, and one more only if it is asked what lies beyond a given cursor.
 *
 * @throws ApiError invalid_input for a bad size or cursor
 */
export async function readConnection<Node extends { id: number }>(
  list: ListName,
  args: ConnectionArgs,
  read: Read<Node>,
): Promise<Connection<Node>> {
  const { isForward, size, after, before } = pageOf(list, args);
  const rows = await read({
    // Newest first: what comes after a cursor has a lower id.
    below: after,
    above: before,
    order: isForward ? 'desc' : 'asc',
    limit: size + 1,
  });
  const overflows = rows.length > size;
  const nodes = rows.slice(0, size);
  if (!isForward) {
    nodes.reverse();
  }
  const edges = nodes.map((node) => ({ cursor: encodeCursor(list, node.id), node }));
  const isAny = async (slice: Pick<Slice, 'above' | 'below' | 'order'>) =>
    (await read({ ...slice, limit: 1 })).length > 0;
  const pageInfo = new PageInfo(
    { start: edges[0]?.cursor ?? null, end: edges.at(-1)?.cursor ?? null },
    {
      next: async () =>
        (isForward && overflows) ||
        (before !== null && (await isAny({ below: before + 1, above: null, order: 'desc' }))),
      previous: async () =>
        (!isForward && overflows) || (after !== null && (await isAny({ below: null, above: after - 1, order: 'asc' }))),
    },
  );
  return { edges, pageInfo };
}

/** The slice as conditions of MikroORM. */
export function sliceQuery({ above, below, order, limit }: Slice) {
  const id = { ...(above === null ? {} : { $gt: above }), ...(below === null ? {} : { $lt: below }) };
  return {
    where: above === null && below === null ? {} : { id },
    options: { orderBy: { id: order }, limit, ...FRESH } as const,
  };
}

function pageOf(list: ListName, { first, last, after, before }: ConnectionArgs) {
  const issues: InputIssue[] = [];
  if (typeof first === 'number' && typeof last === 'number') {
    issues.push({ path: ['last'], code: 'contradiction', detail: 'cannot stand together with `first`' });
  }
  for (const [name, size] of Object.entries({ first, last })) {
    if (typeof size === 'number' && (size < 1 || size > PAGE_MAX)) {
      issues.push({ path: [name], code: 'out_of_range', detail: `must be 1 to ${PAGE_MAX}` });
    }
  }
  const cursors = { after: decodeCursor(list, after), before: decodeCursor(list, before) };
  for (const [name, cursor] of Object.entries(cursors)) {
    if (cursor === undefined) {
      issues.push({ path: [name], code: 'invalid_cursor', detail: 'is not a cursor of this list' });
    }
  }
  requireNoIssues(issues);
  return {
    isForward: typeof last !== 'number',
    size: first ?? last ?? PAGE_DEFAULT,
    after: cursors.after ?? null,
    before: cursors.before ?? null,
  };
}

/** Names its list: another one's would lead to a page that is not the next one. */
export function encodeCursor(list: ListName, id: number): string {
  return Buffer.from(`${list}:${id}`).toString('base64url');
}

/** Null for no cursor, undefined for a bad one. */
export function decodeCursor(list: ListName, text: string | null | undefined): number | null | undefined {
  if (text === null || text === undefined) {
    return null;
  }
  const decoded = Buffer.from(text, 'base64url').toString('latin1');
  const [, name, digits] = /^(\w+):([1-9][0-9]{0,15})$/.exec(decoded) ?? [];
  const id = Number(digits);
  // Node skips what is not base64: only the exact round trip is a cursor of ours.
  return name === list && Number.isSafeInteger(id) && id < Number.MAX_SAFE_INTEGER && encodeCursor(list, id) === text
    ? id
    : undefined;
}
