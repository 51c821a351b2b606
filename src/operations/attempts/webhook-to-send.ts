import { isDeepStrictEqual } from 'node:util';
import type { RowOf } from '../../domain/fields/field.js';
import { flat } from '../../domain/fields/field-table.js';
import { webhookFields } from '../../domain/fields/webhook-fields.js';
import { snakeCase } from '../../domain/text/snake-case.js';

type Written = typeof webhookFields;
type SentName = { [Name in keyof Written]: Written[Name] extends { sent: true } ? Name : never }[keyof Written] &
  keyof RowOf<Written>;

/** A webhook, as the daemon must know it to send to it: as it stood when the delivery was loaded or claimed. */
export interface WebhookToSend extends Pick<RowOf<Written>, SentName> {
  sealedSecret: Buffer;
  /** Another number with each change of the options row, which has the delivery options; null: there is none. */
  optionsVersion: number | null;
  /** An outcome counts for the webhook's health only while this is still the same. */
  generation: number;
  /** The webhook's failure streak. */
  failuresAtLoad: number;
}

const writtenNames = flat(webhookFields)
  .filter(([, { sent }]) => sent === true)
  .map(([name]) => name);

const columns: Readonly<Record<keyof WebhookToSend, string>> = {
  ...(Object.fromEntries(writtenNames.map((name) => [name, snakeCase(name)])) as Record<SentName, string>),
  sealedSecret: 'sealed_secret',
  optionsVersion: 'options_version',
  generation: 'generation',
  failuresAtLoad: 'consecutive_failures',
};

export const sentNames = Object.keys(columns) as (keyof WebhookToSend)[];

/** The columns as a select list. @param webhook a row of `webhooks` in SQL */
export const selectToSend = (webhook: string): string =>
  sentNames.map((name) => `${webhook}.${columns[name]} as "${name}"`).join(', ');

/** Whether a webhook is called as before, and outcomes count as before. */
export const isCalledAsBefore = (before: WebhookToSend, now: WebhookToSend): boolean =>
  sentNames.every((name) => name === 'failuresAtLoad' || isDeepStrictEqual(before[name], now[name]));

/** A webhook as the SQL function `webhook_to_send` has it. */
export type WebhookJson = Omit<WebhookToSend, 'sealedSecret'> & { webhookId: number; sealedSecret: string };
