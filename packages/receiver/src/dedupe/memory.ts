import { type Dedupe, DONE_DAYS, RUNNING_SECONDS } from './dedupe.js';

/** The oldest of more than these are forgotten. */
const ENTRIES_MAX = 100_000;

/** For a receiver of one process: a restart forgets all. */
export function memory(): Dedupe {
  const entries = new Map<string, { state: 'running' | 'done'; until: number }>();
  const set = (id: string, state: 'running' | 'done', seconds: number) => {
    entries.delete(id); // so that the oldest stay in front
    entries.set(id, { state, until: Date.now() + seconds * 1_000 });
    if (entries.size > ENTRIES_MAX) {
      entries.delete(entries.keys().next().value as string);
    }
  };
  return {
    async begin(id) {
      const entry = entries.get(id);
      if (entry !== undefined && entry.until > Date.now()) {
        return entry.state;
      }
      set(id, 'running', RUNNING_SECONDS);
      return 'new';
    },
    async done(id) {
      set(id, 'done', DONE_DAYS * 86_400);
    },
    async forget(id) {
      entries.delete(id);
    },
  };
}
