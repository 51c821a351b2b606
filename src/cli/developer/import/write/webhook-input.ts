import type { WebhookLine } from '../lines/line.js';

/** A value of a line, unless it says nothing. */
const said = (value: unknown): boolean =>
  value != null && value !== '' && !(typeof value === 'object' && Object.keys(value).length === 0);

const withoutSilence = (values: object) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => said(value)));

/** The inputs of a webhook's options and labels that a line says something about, in the form of GraphQL. */
export function fieldsOf(line: WebhookLine) {
  const { url, events, name, description, metadata, headers, auth, compat, filter, ratePerSecond, timeoutMs } = line;
  const setHeaders = Object.entries(headers ?? {}).map(([header, { value, secret }]) => ({
    name: header,
    value,
    secret,
  }));
  return withoutSilence({
    ...{ url, eventTypes: events, name: name?.trim(), description: description?.trim(), metadata },
    delivery: withoutSilence({ ratePerSecond, timeoutMs, compat, auth, setHeaders }),
    content: withoutSilence({ filter }),
  });
}

/** The input of `createWebhook`. @param now milliseconds: a previous secret that has ended is left out */
export function newWebhook(line: WebhookLine, now: number): object {
  const { externalId, secret, previousSecret, previousSecretExpiresAt } = line;
  const hasEnded = previousSecretExpiresAt != null && Date.parse(previousSecretExpiresAt) <= now;
  const previous = previousSecret == null || hasEnded ? {} : { previousSecret, previousSecretExpiresAt };
  return { ...fieldsOf(line), ...withoutSilence({ externalId, secret, ...previous }) };
}
