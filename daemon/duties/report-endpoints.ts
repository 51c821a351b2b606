import { randomUUID } from 'node:crypto';
import { type EndpointState, reportEndpointStates } from '../../src/operations/attempts/endpoint-states.js';
import type { HasPool } from '../../src/platform/database/database.js';
import type { Gate } from '../gate/gate.js';

const REPORTED = ['window', 'inFlight', 'waiting', 'due', 'putOffs', 'meanMs'] as const;

/** Reports endpoints with requests in flight or with changes to dashboards. @returns the work of the duty */
export function reportEndpoints({ db }: { db: HasPool }, gate: Pick<Gate, 'states'>): () => Promise<void> {
  const daemonId = randomUUID();
  let reported = new Map<number, EndpointState>();
  return async () => {
    const states = new Map(gate.states().map((state) => [state.webhookId, state]));
    const changed = [...states.values()].filter((state) => hasChanged(state, reported.get(state.webhookId)));
    if (changed.length > 0) {
      await reportEndpointStates(db.pool, daemonId, changed);
    }
    reported = states;
  };
}

const hasChanged = (state: EndpointState, before: EndpointState | undefined): boolean =>
  state.inFlight > 0 || REPORTED.some((name) => state[name] !== before?.[name]);
