// Needs @hookwright/receiver: README.md beside it.
import { webhook } from '@hookwright/receiver/fetch';

// For Cloudflare Workers. In Bun and Deno the secret is process.env.WEBHOOK_SECRET.
// The same delivery may come twice: dedupe needs a store that all copies share, such as postgres(pool).
export default {
  fetch: webhook({
    secret: (env) => env.WEBHOOK_SECRET,
    on: { 'booking.created': async ({ payload }) => console.log(`Booked ${payload.booking_code}`) },
  }),
};
