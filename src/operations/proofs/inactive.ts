import { DisabledReason } from '../../entities/webhook.js';
import { ApiError } from '../../errors.js';

/** Makes the error for what waits for the proof of an endpoint. */
export const unverified = (webhookId: number): ApiError =>
  new ApiError(
    'webhook_unverified',
    `The endpoint of webhook ${webhookId} has not proved yet that it wants deliveries. verifyWebhook asks it now; the ` +
      'proof enables the webhook, unless somebody has paused it.',
  );

/**
 * Makes the error for what only an active webhook does.
 *
 * @param is begins its sentence: "Webhook 7 is inactive; enable it first"
 * @param reason why the webhook is inactive: before the proof of its endpoint nobody can enable it
 */
export const inactive = (is: string, webhookId: number, reason: DisabledReason | null): ApiError =>
  reason === DisabledReason.UNVERIFIED ? unverified(webhookId) : new ApiError('webhook_inactive', `${is}.`);
