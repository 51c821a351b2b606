// Needs express and @hookwright/receiver: README.md beside it.
import { memory } from '@hookwright/receiver/dedupe';
import { webhook } from '@hookwright/receiver/express';
import express from 'express';

const app = express();
const on = { 'booking.created': async ({ payload }) => console.log(`Booked ${payload.booking_code}`) };
const dedupe = memory(); // for one process; postgres(pool) or redis(client) for several

// Above express.json(), because the signature covers the bytes of the body.
app.all('/webhooks', webhook({ secret: process.env.WEBHOOK_SECRET, on, dedupe }));
app.use(express.json());
app.listen(process.env.PORT ?? 4000);
