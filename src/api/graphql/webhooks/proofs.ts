import { isElsewhere } from '../../../domain/challenges/challenge.js';
import type { Context } from '../../context/context.js';
import { requireAskingDaemons } from '../fields/older-daemons.js';
import { readWebhook } from './webhook.js';

/** Changes of webhooks whose endpoints must prove that they want deliveries (ENDPOINT_CHALLENGE). */

export const mustProve = ({ config }: Context): boolean => config.endpointChallenge === 'required';

/** Whether nobody can enable the webhook, because its endpoint has not proved itself. */
export async function isUnverified(context: Context, webhookId: number): Promise<boolean> {
  const proof = mustProve(context) ? await context.loaders.verificationByWebhook.load(webhookId) : null;
  return proof !== null && proof.status !== 'VERIFIED';
}

/** @throws ApiError older_daemons when the change means that an endpoint is to be asked, and a daemon cannot */
export async function requireProvableMove(context: Context, id: string, url: string | undefined): Promise<void> {
  if (mustProve(context) && url !== undefined) {
    const { url: before } = await readWebhook(context, id, ['input', 'id']);
    if (isElsewhere(before, url)) {
      await requireAskingDaemons(context);
    }
  }
}
