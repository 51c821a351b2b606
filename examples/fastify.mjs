// Needs fastify and @hookwright/receiver: README.md beside it.
import { memory } from '@hookwright/receiver/dedupe';
import { webhook } from '@hookwright/receiver/fastify';
import Fastify from 'fastify';

const app = Fastify();

app.register(
  webhook({
    secret: process.env.WEBHOOK_SECRET,
    on: { 'booking.created': async ({ payload }) => console.log(`Booked ${payload.booking_code}`) },
    dedupe: memory(), // for one process; postgres(pool) or redis(client) for several
  }),
  { prefix: '/webhooks' },
);

await app.listen({ port: Number(process.env.PORT ?? 4000) });
