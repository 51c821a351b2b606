// Needs @hookwright/client: README.md beside it.
import { createClient, HookwrightError } from '@hookwright/client';

const hookwright = createClient({
  url: process.env.HOOKWRIGHT_URL ?? 'http://localhost:3000',
  key: process.env.HOOKWRIGHT_API_KEY,
  timeoutMs: 5_000, // a person waits; the default, a minute, outlasts a failover of Postgres
});

const booking = { booking_code: 'BK-1', local_number: '17', brand: 'north' };

try {
  // A key of your own: run it twice, or let it die in the middle, and the event is there once.
  const { eventId, deliveryCount, duplicate } = await hookwright.emit('booking.created', booking, {
    idempotencyKey: `booking-${booking.booking_code}-created`,
  });
  console.log(`${duplicate ? 'Known as' : 'Accepted as'} ${eventId}, for ${deliveryCount} webhooks`);
} catch (error) {
  if (!(error instanceof HookwrightError)) {
    throw error;
  }
  console.error(error.message);
  process.exitCode = error.retryable ? 75 : 1; // 75: a queue may try again
}
