import { webhookFields } from '../../../../domain/fields/webhook-fields.js';
import { PREVIOUS_SECRET_DAYS_MAX } from '../../../../domain/signing/secret.js';
import { DAY_MS } from '../../../../domain/text/durations.js';
import type { WebhookLine } from './line.js';
import { inputsOf, withoutSilence } from './line-kinds.js';

/** The inputs of a webhook's options and labels that a line says something about, in the form of GraphQL. */
export function fieldsOf(line: WebhookLine): Readonly<Record<string, unknown>> {
  const { url, events, name, description, metadata, ordering } = line;
  return withoutSilence({
    ...{ url, eventTypes: events, name: name?.trim(), description: description?.trim(), metadata },
    delivery: inputsOf(webhookFields.delivery.fields, line),
    content: inputsOf(webhookFields.content.fields, line),
    ordering: inputsOf(webhookFields.ordering.fields, ordering ?? {}),
  });
}

/** A new webhook's input, and what could not be as the line or the former system has it. */
interface NewWebhook {
  input: object;
  notes: readonly string[];
}

/**
 * The input of `createWebhook`. A previous secret that has ended is left out, and one that lasts longer than the
 * service lets it ends then.
 *
 * @param now milliseconds
 */
export function newWebhook(line: WebhookLine, now: number): NewWebhook {
  const { externalId, secret, previousSecret, previousSecretExpiresAt } = line;
  const endsAt = previousSecretExpiresAt == null ? null : Date.parse(previousSecretExpiresAt);
  const hasPrevious = previousSecret != null && (endsAt === null || endsAt > now);
  const latest = now + PREVIOUS_SECRET_DAYS_MAX * DAY_MS - A_WHILE_MS;
  const isLong = hasPrevious && endsAt !== null && endsAt > latest;
  const previous = {
    previousSecret,
    previousSecretExpiresAt: endsAt === null ? null : new Date(Math.min(endsAt, latest)).toISOString(),
  };
  const input = {
    ...fieldsOf(line),
    ...withoutSilence({ externalId, secret, ...(hasPrevious ? previous : {}) }),
    // In the request that makes it: a webhook that is paused afterwards sends what comes between.
    ...(line.active ? {} : { active: false }),
  };
  const notes = [
    ...line.notes,
    ...(secret == null ? ['its secret is a new one, which nobody has seen: rotate it for the receiver'] : []),
    ...(isLong ? [`its previous secret signs for ${PREVIOUS_SECRET_DAYS_MAX} days only`] : []),
  ];
  return { input, notes };
}

/** Clocks differ, and the request takes a moment. */
const A_WHILE_MS = 60_000;
