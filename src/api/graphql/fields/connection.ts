import 'reflect-metadata';
import type { EntityManager, FilterQuery, FindOptions } from '@mikro-orm/postgresql';
import { ArgsType, type ClassType, Field, Int, ObjectType } from 'type-graphql';
import { Nullable } from '../../../entities/nullable.js';
import { type InputIssue, requireNoIssues } from '../../../errors.js';
import { FRESH } from '../../../platform/database/tenant-database.js';

/** Relay connections (relay.dev/graphql/connections.htm), newest first, with keyset cursors over the id. */

export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 100;

@ArgsType()
export class ConnectionArgs {
  @Nullable(() => Int, `Number of items from the start, newest first: 1 to ${PAGE_MAX}, default ${PAGE_DEFAULT}.`)
  first?: number | null;

  @Nullable(() => String, 'Only items after this cursor, which are older.')
  after?: string | null;

  @Nullable(() => Int, `Number of items from the end: 1 to ${PAGE_MAX}. Not together with \`first\`.`)
  last?: number | null;

  @Nullable(() => String, 'Only items before this cursor, which are newer.')
  before?: string | null;
}

/** The rows of a page: at most `limit` with `above < id < below`, in this order of ids. */
export interface Slice {
  above: number | null;
  below: number | null;
  order: 'asc' | 'desc';
  limit: number;
}

/** Lists that have cursors. The deliveries of a webhook are a list of deliveries too. */
type ListName =
  | 'apiKeys'
  | 'auditLog'
  | 'bulkOperations'
  | 'deliveries'
  | 'events'
  | 'fanOut'
  | 'noticeRecipients'
  | 'portalSessions'
  | 'scheduledEvents'
  | 'tenants'
  | 'webhooks';

type Read<Node> = (slice: Slice) => Promise<Node[]>;

@ObjectType({ description: 'The position of a page in the whole list.' })
class PageInfo {
  @Nullable(() => String, 'Cursor of the first edge. Null for an empty page.')
  startCursor!: string | null;

  @Nullable(() => String, 'Cursor of the last edge. Null for an empty page.')
  endCursor!: string | null;

  @Field(() => Boolean, { description: 'Whether there are items after this page.' })
  hasNextPage!: Promise<boolean>;

  @Field(() => Boolean, { description: 'Whether there are items before this page.' })
  hasPreviousPage!: Promise<boolean>;
}

export interface Connection<Node> {
  edges: { cursor: string; node: Node }[];
  nodes: Node[];
  pageInfo: PageInfo;
}

/** The GraphQL type of a list. @param plural for the descriptions: "events" */
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
    @Field(() => String, { description: 'Pass it as `after` or `before`. Its content has no meaning.' })
    cursor!: string;

    @Field(() => node, { description: `The ${noun} itself.` })
    node!: Node;
  }

  @ObjectType(`${name}Connection`, { description: `A page of a list of ${plural}, newest first.` })
  class ConnectionType implements Connection<Node> {
    @Field(() => [Edge], { description: 'The items of the page with their cursors.' })
    edges!: Edge[];

    @Field(() => [node], { description: 'The items without their cursors.' })
    nodes!: Node[];

    @Field(() => PageInfo, { description: 'The position of the page.' })
    pageInfo!: PageInfo;
  }
  return ConnectionType;
}

/**
 * Reads one page with a single query. Whether there are items beyond a given cursor takes one more, if it is asked.
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
  const hasMore = async (overflow: boolean, beyond: Pick<Slice, 'above' | 'below' | 'order'> | null) =>
    overflow || (beyond !== null && (await read({ ...beyond, limit: 1 })).length > 0);
  const pageInfo: PageInfo = {
    startCursor: edges[0]?.cursor ?? null,
    endCursor: edges.at(-1)?.cursor ?? null,
    // Getters, which read only what is selected.
    get hasNextPage() {
      return hasMore(
        isForward && overflows,
        before === null ? null : { below: before + 1, above: null, order: 'desc' },
      );
    },
    get hasPreviousPage() {
      return hasMore(!isForward && overflows, after === null ? null : { below: null, above: after - 1, order: 'asc' });
    },
  };
  return { edges, nodes, pageInfo };
}

/**
 * Reads the rows of a page that meet the conditions, for `readConnection`.
 *
 * @param options its `orderBy` stands before the order by id, and may name only columns that the conditions fix.
 */
export function pagedQuery<Node extends { id: number }>(
  em: EntityManager,
  type: ClassType<Node>,
  where: FilterQuery<NoInfer<Node>>,
  options: FindOptions<NoInfer<Node>> = FRESH,
): (slice: Slice) => Promise<Node[]> {
  return ({ above, below, order, limit }) => {
    const id = { ...(above === null ? {} : { $gt: above }), ...(below === null ? {} : { $lt: below }) };
    const page = above === null && below === null ? {} : { id };
    const sorted = { ...options, orderBy: { ...options.orderBy, id: order }, limit } as FindOptions<Node>;
    return em.find(type, { ...(where as object), ...page } as never, sorted);
  };
}

/** A text that many rows contain is found among so many of the next ones, without reading all. */
const NEAR = 1_000;

/** `pagedQuery` for a condition that no index helps with. */
export function searchQuery<Node extends { id: number }>(
  em: EntityManager,
  type: ClassType<Node>,
  where: FilterQuery<NoInfer<Node>>,
): (slice: Slice) => Promise<Node[]> {
  const search = pagedQuery(em, type, where);
  const beyondNear = pagedQuery<{ id: number }>(em, type, {}, { ...FRESH, fields: ['id'], offset: NEAR } as object);
  return async (slice) => {
    const [beyond] = await beyondNear({ ...slice, limit: 1 });
    if (beyond === undefined) {
      return search(slice);
    }
    const [from, to, step] =
      slice.order === 'desc' ? (['below', 'above', 1] as const) : (['above', 'below', -1] as const);
    const near = await search({ ...slice, [to]: beyond.id });
    const left = slice.limit - near.length;
    return left === 0 ? near : [...near, ...(await search({ ...slice, [from]: beyond.id + step, limit: left }))];
  };
}

/** The issues of an argument that limits the length of a list. */
export const sizeIssues = (name: string, size: number | null | undefined, max: number): InputIssue[] =>
  typeof size === 'number' && (size < 1 || size > max)
    ? [{ path: [name], code: 'out_of_range', detail: `must be 1 to ${max}` }]
    : [];

/** The issues of the arguments that say how much of a list is read. */
export const sizesIssues = ({ first, last }: Pick<ConnectionArgs, 'first' | 'last'>, max: number): InputIssue[] => [
  ...(typeof first === 'number' && typeof last === 'number'
    ? [{ path: ['last'], code: 'contradiction', detail: 'cannot stand together with `first`' }]
    : []),
  ...sizeIssues('first', first, max),
  ...sizeIssues('last', last, max),
];

function pageOf(list: ListName, args: ConnectionArgs) {
  const { first, last, after, before } = args;
  const issues = sizesIssues(args, PAGE_MAX);
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

/** A cursor names its list: the cursor of another list would lead to a wrong page. */
export function encodeCursor(list: ListName, id: number): string {
  return Buffer.from(`${list}:${id}`).toString('base64url');
}

/** Null for no cursor, undefined for a bad one. */
export function decodeCursor(list: ListName, text: string | null | undefined): number | null | undefined {
  if (text === null || text === undefined) {
    return null;
  }
  const id = Number(Buffer.from(text, 'base64url').toString('latin1').split(':')[1]);
  // Node ignores characters that are not base64, so only the exact round trip is a cursor.
  return id > 0 && id < Number.MAX_SAFE_INTEGER && encodeCursor(list, id) === text ? id : undefined;
}
