import Fastify from 'fastify';
import { pino } from 'pino';
import type { Services } from '../api/context/context.js';
import { RateLimits } from '../api/context/rate-limits.js';
import { buildGraphqlSchema } from '../api/graphql/schema.js';
import { endConnections } from '../api/http/connections.js';
import { graphqlEndpoint } from '../api/http/graphql-endpoint.js';
import { followRequests } from '../api/http/requests.js';
import type { Emit } from '../domain/events/emit.js';
import type { Scope } from '../domain/keys/scopes.js';
import { onStages, type Stage } from '../operations/rehearsals/stage.js';
import { apiMetrics } from '../platform/telemetry/api-metrics.js';

/** Connections that the first hundred events a second need. */
const STAGES = 3;
/** After so many a statement keeps its plan, and most of what an emit runs has been compiled. */
const ROUNDS = 60;
/** A slow machine starts without knowing all by heart. */
const MS_MAX = 1_000;

const EMIT = 'mutation($input: EmitEventInput!) { emitEvent(input: $input) { event { id } deliveryCount } }';
const payload = { text: 'x'.repeat(400) };

/**
 * Emits and delivers events in this process before it says that it is ready, so that the first real ones meet open
 * connections, planned statements and compiled code. Nothing of it is kept, and nothing is sent (docs/decisions/0042).
 *
 * @param services of the API and of the daemon, as far as the process has them
 */
export async function rehearse(services: { api: Services | null; daemon: Services | null }): Promise<void> {
  const { api, daemon } = services;
  const { pool } = (daemon ?? api)!.db;
  const until = performance.now() + MS_MAX;
  try {
    await onStages(pool, { stages: STAGES, delivers: daemon !== null }, async (stages) => {
      const emit = api === null ? emitDirectly : await requests(api, stages);
      const play = async (stage: Stage) => {
        for (let round = 0; round < ROUNDS && performance.now() < until; round++) {
          await emit(stage);
          await stage.deliver();
        }
      };
      await Promise.all(stages.map(play));
    });
  } catch (err) {
    (daemon ?? api)!.log.warn({ err }, 'the rehearsal was broken off');
  }
}

async function emitDirectly({ tenantId, eventType, emitter }: Stage): Promise<void> {
  const body = JSON.stringify(payload);
  await emitter.emit([{ tenantId, eventType, body, idempotencyKey: null, onlyWebhookId: null }]);
}

/** Requests to an API of their own, which is reached from here alone and knows each stage's tenant by its number. */
async function requests(services: Services, stages: readonly Stage[]): Promise<(stage: Stage) => Promise<void>> {
  const byTenant = new Map(stages.map((stage) => [stage.tenantId, stage]));
  const scopes: ReadonlySet<Scope> = new Set<Scope>(['events:emit']);
  const rehearsing = {
    ...services,
    emitter: { emit: (items: readonly Emit[]) => byTenant.get(items[0]!.tenantId)!.emitter.emit(items) },
    authenticator: {
      authenticate: async (authorization: string) => {
        const tenantId = Number(authorization);
        return { keyId: tenantId, tenantId, scopes, isPortalSession: false, endsAtMs: Number.POSITIVE_INFINITY };
      },
    },
    eventTypes: { check: async () => [] },
    rateLimits: new RateLimits(services.config.quotas, () => performance.now()),
    metrics: apiMetrics(),
    log: pino({ level: 'silent' }),
    tracing: null,
  } as unknown as Services;
  const app = Fastify({ logger: false });
  endConnections(app);
  followRequests(app, rehearsing);
  await app.register(graphqlEndpoint, { schema: await buildGraphqlSchema(), services: rehearsing });
  return async ({ tenantId, eventType }) => {
    const answer = await app.inject({
      method: 'POST',
      url: '/graphql',
      headers: { authorization: `${tenantId}` },
      payload: { query: EMIT, variables: { input: { event: eventType, payload } } },
    });
    if (answer.statusCode !== 200 || answer.body.includes('"errors"')) {
      throw new Error(`A rehearsed emit was answered ${answer.statusCode}: ${answer.body}`);
    }
  };
}
