// Compiled by receiver-frameworks.test.ts, where the frameworks and @hookwright/receiver are installed.
import { verify } from '@hookwright/receiver';
import { memory, postgres, redis } from '@hookwright/receiver/dedupe';
import { webhook as onExpress } from '@hookwright/receiver/express';
import { webhook as onFastify } from '@hookwright/receiver/fastify';
import { webhook as onFetch } from '@hookwright/receiver/fetch';
import { webhook as onHono } from '@hookwright/receiver/hono';
import { webhook as onNext } from '@hookwright/receiver/next';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { Redis } from 'ioredis';
import type { NextApiHandler } from 'next';
import type { NextRequest } from 'next/server.js';
import pg from 'pg';
import { createClient, createClientPool } from 'redis';

/** As `hookwright types pull` writes it. */
interface Events {
  'booking.created': { booking_code: string };
  'coupon.applied': { code: string; discount?: number };
}

const secret = process.env['WEBHOOK_SECRET'];
const on = { 'coupon.applied': () => {} };
const app = express();

app.all('/untyped', onExpress({ secret, on: { 'booking.created': async ({ payload }) => payload.code.length } }));
app.use(
  onExpress<Events>({
    secret,
    on: {
      'booking.created': async ({ event, payload }): Promise<'booking.created'> => {
        payload.booking_code.length;
        return event;
      },
      '*': ({ event, payload }): unknown => (event.length > 0 ? payload : null),
    },
  }),
);
// @ts-expect-error: the event has no such field
app.use(onExpress<Events>({ secret, on: { 'booking.created': ({ payload }) => payload.code } }));
// @ts-expect-error: there is no such event
app.use(onExpress<Events>({ secret, on: { 'booking.made': () => {} } }));
app.all(
  '/vendors/:vendor',
  onExpress<Events, express.Request>({
    secret: (request) => `whsec_${request.params['vendor']}`,
    on: { 'coupon.applied': (_delivery, request) => request.ip },
  }),
);

Fastify().register(onFastify<Events>({ secret, on, dedupe: memory() }), { prefix: '/webhooks' });

new Hono<{ Bindings: { SECRET: string } }>().all('/webhooks', onHono<Events>({ secret, on }));

export const POST: (request: NextRequest, context: { params: Promise<object> }) => Promise<Response> = onNext<Events>({
  secret,
  on,
});
export const page: NextApiHandler = onNext({ secret, on });

interface Environment {
  SECRET: string;
}
export const worker: { fetch(request: Request, environment: Environment, context: unknown): Promise<Response> } = {
  fetch: onFetch<Events, Environment>({
    secret: ({ SECRET }) => SECRET,
    on: { 'coupon.applied': ({ payload }, { SECRET }) => [payload.discount, SECRET] },
  }),
};

redis(createClient());
redis(createClientPool());
redis(new Redis());
postgres(new pg.Pool());

const verdict = await verify<Events['booking.created']>('', new Headers(), secret ?? '');
export const said: string = verdict.ok ? verdict.payload.booking_code : verdict.message;
