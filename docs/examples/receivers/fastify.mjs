// npm install fastify standardwebhooks
import Fastify from 'fastify';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
const app = Fastify();

// A scope of its own, whose bodies are not parsed: the signature covers the exact bytes.
app.register(async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  scope.post('/webhooks', async (request, reply) => {
    try {
      const event = webhook.verify(request.body, request.headers);
      console.log(event); // answer first, and work on it later
      return reply.code(204).send();
    } catch {
      return reply.code(401).send();
    }
  });
});

await app.listen({ port: Number(process.env.PORT ?? 8080) });
