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
import type { Stage } from '../operations/rehearsals/stage.js';
import { apiMetrics } from '../platform/telemetry/api-metrics.js';

const EMIT = 'mutation($input: EmitEventInput!) { emitEvent(input: $input) { event { id } deliveryCount } }';

/** Emits by an API of their own, which is reached from here alone and knows each stage's tenant by its number. */
export async function rehearsalRequests(
  services: Services,
  stages: readonly Stage[],
  payload: object,
): Promise<(stage: Stage) => Promise<void>> {
  const byTenant = new Map(stages.map((stage) => [stage.tenantId, stage]));
  const scopes: ReadonlySet<Scope> = new Set<Scope>(['events:emit']);
  const rehearsing = {
    ...services,
    emitter: { emit: (items: readonly Emit[]) => byTenant.get(items[0]!.tenantId)!.emitter.emit(items) },
    authenticator: {
      authenticate: async (authorization: string) => {
        const tenantId = Number(authorization);
        return {
          keyId: tenantId,
          tenantId,
          scopes,
          isPortalSession: false,
          limits: null,
          endsAtMs: Number.POSITIVE_INFINITY,
        };
      },
      limitsFor: async () => null,
    },
    eventTypes: { check: async () => ({ issues: [], version: null }) },
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
