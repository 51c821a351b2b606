import type { CombinedError } from 'urql';

const isErasure = ({ extensions }: CombinedError['graphQLErrors'][number]) => extensions['reason'] === 'event_erased';

/** Whether a payload that was asked for was erased. */
export const isErased = (error: CombinedError | undefined): boolean => error?.graphQLErrors.some(isErasure) ?? false;

/** An error, unless all that went wrong is that payloads were erased: the page says so in their places. */
export const unlessErased = (error: CombinedError | undefined): CombinedError | undefined =>
  error !== undefined && error.networkError === undefined && error.graphQLErrors.every(isErasure) ? undefined : error;
