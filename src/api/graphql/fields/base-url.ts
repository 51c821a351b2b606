import { ApiError } from '../../../errors.js';
import type { Context } from '../../context/context.js';

/**
 * @param what begins with it, for the message
 * @returns scheme, host and port under which others reach the service, and the path of PUBLIC_URL if it has one
 * @throws ApiError header_malformed
 */
export function baseUrlOf({ config, origin }: Context, what: string): string {
  const url = config.publicUrl ?? URL.parse(origin ?? '')?.origin;
  if (url === undefined) {
    throw new ApiError(
      'header_malformed',
      `${what} begins with the header Host, which names no valid host here. Send another one, or set PUBLIC_URL.`,
    );
  }
  return url;
}
