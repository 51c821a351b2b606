import type { FastifyInstance } from 'fastify';
import type { Operations, VerificationNode } from './operations.js';
import { hasNoParameters, ignoreBody, isThere, type WithId, webhookIn } from './webhook-requests.js';

/** The proof that the endpoint of a webhook wants deliveries: asked for, and read. */
export async function verificationRoutes(app: FastifyInstance, operations: Operations): Promise<void> {
  ignoreBody(app);

  const onVerify = [operations.verify.authorise, hasNoParameters, isThere];
  app.post<WithId>('/webhooks/:id/verify', { onRequest: onVerify }, async (request, reply) => {
    const { verifyWebhook } = await operations.verify(request, { input: { id: webhookIn(request) } });
    return reply.code(202).send({ data: restVerification(verifyWebhook.webhook) });
  });

  const onRead = [operations.readVerification.authorise, hasNoParameters];
  app.get<WithId>('/webhooks/:id/verify', { onRequest: onRead }, async (request) => {
    const { webhook } = await operations.readVerification(request, { id: webhookIn(request) });
    return { data: restVerification(webhook) };
  });
}

/** An endpoint that was never asked counts as verified. */
const NEVER_ASKED = {
  status: 'VERIFIED',
  method: null,
  checked_at: null,
  detail: null,
  options_code: null,
  challenge_code: null,
  next_at: null,
};

const restVerification = ({ verification }: VerificationNode) => verification ?? NEVER_ASKED;
