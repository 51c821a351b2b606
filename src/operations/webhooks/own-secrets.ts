import { PREVIOUS_SECRET_DAYS_MAX } from '../../domain/signing/secret.js';
import { DAY_MS } from '../../domain/text/durations.js';
import { formatTimestamp } from '../../domain/text/timestamp.js';
import type { Webhook } from '../../entities/webhook.js';
import { refusedInput } from '../../errors.js';

/** Signing secrets that come with a webhook of another service. Null: none; then the service makes the secret. */
export interface OwnSecrets {
  secret: string | null;
  previousSecret: string | null;
  /** Null: 24 hours from now, if there is a previous secret. */
  previousSecretExpiresAt: Date | null;
}

export const NO_OWN: OwnSecrets = { secret: null, previousSecret: null, previousSecretExpiresAt: null };

/** The end of the overlap with a previous secret. @throws ApiError invalid_input: it is over, or too far */
export function overlapEnd({ previousSecretExpiresAt }: OwnSecrets, now: Date): Date {
  const until = previousSecretExpiresAt ?? new Date(now.getTime() + DAY_MS);
  const leftMs = until.getTime() - now.getTime();
  if (leftMs <= 0 || leftMs > PREVIOUS_SECRET_DAYS_MAX * DAY_MS) {
    const detail = `must be later than now, and at most ${PREVIOUS_SECRET_DAYS_MAX} days`;
    throw refusedInput(['previousSecretExpiresAt'], 'out_of_range', detail);
  }
  return until;
}

/** Says of secrets of another service that they are there, and until when. */
export const auditedSecrets = (
  { secret, previousSecret }: OwnSecrets,
  { previousSecretExpiresAt: until }: Webhook,
) => ({
  ...(secret === null ? {} : { secret: 'own' }),
  ...(previousSecret === null
    ? {}
    : { previousSecret: 'own', previousSecretExpiresAt: until && formatTimestamp(until) }),
});
