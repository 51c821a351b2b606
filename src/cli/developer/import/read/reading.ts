import type { EventTypeLine, ReadWebhook, TenantLine } from '../lines/line.js';

/** One finding of a reader. */
export type Found =
  | { webhook: ReadWebhook }
  /** A tenant without webhooks. */
  | { tenant: TenantLine }
  /** The same with values of any types. */
  | { row: { from: string } & Readonly<Record<string, unknown>> }
  | { eventType: EventTypeLine }
  /** Nothing can be brought along of it. `reason` ends a sentence about `from`. */
  | { leftOut: { from: string; reason: string } }
  /** A signature form for the file of SIGNATURE_FORMS, which webhooks here name. */
  | { form: { name: string; form: object } };

export type Reading = AsyncGenerator<Found, void, void>;

/** The options of every reader. */
export interface ReadOptions {
  out: string;
  /** Tenants, by their external ids; the others are left. */
  only?: readonly string[];
  /** The signature form of all webhooks, in place of the reader's; `none` for no form. */
  compat?: string;
}

/** Whether a tenant is to be read. */
export const isWanted = ({ only }: Pick<ReadOptions, 'only'>, externalId: string): boolean =>
  only === undefined || only.includes(externalId);

/** Works on some at a time, and keeps their order. */
export async function* mapped<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void, void> {
  for (let at = 0; at < items.length; at += atOnce) {
    yield* await Promise.all(items.slice(at, at + atOnce).map(work));
  }
}

/** All of them in a list. */
export async function gathered<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) {
    all.push(item);
  }
  return all;
}
