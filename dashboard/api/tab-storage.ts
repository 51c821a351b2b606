/**
 * What this tab keeps over a reload, in `sessionStorage`. In a frame nothing is kept: it has no life of its own, and
 * browsers deny storage to frames of other sites.
 */
export const tabStorage = {
  read: (name: string): string | null => use((storage) => storage.getItem(`hookwright.${name}`)) ?? null,
  write: (name: string, text: string): void => void use((storage) => storage.setItem(`hookwright.${name}`, text)),
  remove: (name: string): void => void use((storage) => storage.removeItem(`hookwright.${name}`)),
};

/** Whether another page shows this one in a frame. */
export const isFramed = window.parent !== window;

function use<T>(work: (storage: Storage) => T): T | undefined {
  try {
    return isFramed ? undefined : work(sessionStorage);
  } catch {
    return undefined; // a person may have switched storage off
  }
}
