import type { ShownEndpoint } from './use-endpoint';

export function EndpointDialogs(_: { endpoint: ShownEndpoint }) {
  return null;
}
