import type { Webhook } from '../../../entities/webhook.js';
import type { Context } from '../../context/context.js';

/** The options row of a webhook. Mutations have read it already: no query that could fail follows their commit. */
export const optionsOf = async ({ id, options, optionsVersion }: Webhook, { loaders }: Context) =>
  options !== undefined || optionsVersion === null ? (options ?? null) : await loaders.optionsByWebhook.load(id);
