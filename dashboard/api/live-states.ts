import { Observable } from './observable';

/**
 * The state of the live updates, as the page shows it. `crowded`: other tabs use all connections that the browser has
 * to the service.
 */
export type LiveState = 'off' | 'connecting' | 'live' | 'waiting' | 'crowded';

/** Reports the state of the live updates to the frame: the worst of all clients. */
class LiveStates extends Observable {
  #states = new Map<object, LiveState>();

  read = (): LiveState => {
    const all = [...this.#states.values()];
    return (['crowded', 'waiting', 'connecting', 'live'] as const).find((state) => all.includes(state)) ?? 'off';
  };

  set(client: object, state: LiveState): void {
    if (state === 'off') {
      this.#states.delete(client);
    } else {
      this.#states.set(client, state);
    }
    this.changed();
  }
}

export const liveStates = new LiveStates();
