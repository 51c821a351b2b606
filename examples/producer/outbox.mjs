// Needs @hookwright/client and pg: README.md beside it.
import { createOutbox } from '@hookwright/client';
import pg from 'pg';

// The application's own login, after: ./hookwright outbox grant shop --tenant 1
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const outbox = createOutbox({ tenant: process.env.TENANT ?? 1 });

/** The booking and its event are committed together, or neither is. */
async function book(booking) {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('insert into bookings (code) values ($1)', [booking.booking_code]);
    const { eventId } = await outbox.pg(client).emit('booking.created', booking);
    await client.query('commit');
    return eventId;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

console.log(`Booked, as ${await book({ booking_code: 'BK-2', local_number: '17', brand: 'north' })}`);
await pool.end();
