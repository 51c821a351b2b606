import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { noAnswerInTime } from '../../platform/database/outage.js';

/** Every request is answered within 15 s. The time limits of statements and connections come before this one. */
const ANSWER_MS_MAX = 13_500;

interface Waiting {
  sinceMs: number;
  leftMs: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Answers 503 in the place of everything that a request waits for too long: connections, turns, several statements one
 * after the other, a commit that no standby confirms. The time in which the body arrives has another limit
 * (REQUEST_TIMEOUT_MS). Work under way goes on, so the caller does not know whether it takes effect.
 */
export function limitAnswerTime(app: FastifyInstance): void {
  const waiting = new WeakMap<FastifyRequest, Waiting>();
  const wait = (request: FastifyRequest, reply: FastifyReply, leftMs: number) =>
    waiting.set(request, { sinceMs: performance.now(), leftMs, timer: setTimeout(giveUp, leftMs, reply).unref() });
  app.addHook('onRequest', (request, reply, done) => {
    wait(request, reply, ANSWER_MS_MAX);
    done();
  });
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    clearTimeout(waiting.get(request)?.timer);
    const { sinceMs, leftMs } = waiting.get(request)!;
    waiting.set(request, { sinceMs, leftMs: leftMs - (performance.now() - sinceMs), timer: undefined });
    done();
  });
  app.addHook('preValidation', (request, reply, done) => {
    wait(request, reply, waiting.get(request)!.leftMs);
    done();
  });
  app.addHook('onResponse', (request, _reply, done) => {
    clearTimeout(waiting.get(request)?.timer);
    done();
  });
}

function giveUp(reply: FastifyReply): void {
  if (!reply.sent && !reply.raw.destroyed) {
    reply.send(noAnswerInTime());
    reply.raw.once('finish', () => reply.hijack()); // what the handler returns later is nobody's
  }
}
