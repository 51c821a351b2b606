import { expect } from 'vitest';

export const pageInfo = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';

export interface Page<Node> {
  edges: { cursor: string; node: Node }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
}

export interface PageArgs {
  first?: number;
  after?: string | null;
  last?: number;
  before?: string | null;
}

/** All nodes of a list, read page by page in one direction, in the order of the list. */
export async function allPages<Node>(
  read: (args: PageArgs) => Promise<Page<Node>>,
  size: number,
  forwards = true,
): Promise<Node[]> {
  const pages: Node[][] = [];
  for (let cursor: string | null = null; ; ) {
    const { edges, pageInfo }: Page<Node> = await read(
      forwards ? { first: size, after: cursor } : { last: size, before: cursor },
    );
    pages[forwards ? 'push' : 'unshift'](edges.map(({ node }) => node));
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = pageInfo;
    expect(forwards ? hasPreviousPage : hasNextPage).toBe(cursor !== null);
    if (!(forwards ? hasNextPage : hasPreviousPage)) {
      expect(edges.length).toBeLessThanOrEqual(size);
      return pages.flat();
    }
    expect(edges).toHaveLength(size);
    cursor = forwards ? endCursor : startCursor;
  }
}
