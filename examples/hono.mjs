// Needs hono, @hono/node-server and @hookwright/receiver: README.md beside it.
import { serve } from '@hono/node-server';
import { memory } from '@hookwright/receiver/dedupe';
import { webhook } from '@hookwright/receiver/hono';
import { Hono } from 'hono';

const app = new Hono();

app.all(
  '/webhooks',
  webhook({
    secret: process.env.WEBHOOK_SECRET,
    on: { 'booking.created': async ({ payload }) => console.log(`Booked ${payload.booking_code}`) },
    dedupe: memory(), // for one process; postgres(pool) or redis(client) for several
  }),
);

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 4000) });
