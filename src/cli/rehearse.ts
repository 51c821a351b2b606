import type { Services } from '../api/context/context.js';
import { onStages, type Stage } from '../operations/rehearsals/stage.js';

/** Connections that the first hundred events a second need. */
const STAGES = 3;
/** After so many a statement keeps its plan, and most of what an emit runs has been compiled. */
const ROUNDS = 60;
/** A slow machine starts without knowing all by heart. */
const MS_MAX = 1_000;

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

async function requests(api: Services, stages: readonly Stage[]): Promise<(stage: Stage) => Promise<void>> {
  const { rehearsalRequests } = await import('./rehearsal-requests.js'); // not for a daemon: it loads the API
  return await rehearsalRequests(api, stages, payload);
}
