// Needs @hookwright/receiver: examples/README.md.
import { memory } from '@hookwright/receiver/dedupe';
import { webhook } from '@hookwright/receiver/next';

export const POST = webhook({
  secret: process.env.WEBHOOK_SECRET,
  on: { 'booking.created': async ({ payload }) => console.log(`Booked ${payload.booking_code}`) },
  dedupe: memory(), // for one process; postgres(pool) or redis(client) for several
});
