import { ApiError, type Reason } from '../../errors.js';
import { toApiError } from '../context/faults.js';

/** Fastify's own refusals, by their code. */
const fastifyErrors: Record<string, { reason: Reason; detail: (bodyBytesMax?: number) => string }> = {
  FST_ERR_CTP_BODY_TOO_LARGE: {
    reason: 'payload_too_large',
    detail: (bodyBytesMax) => `The body of the request is too long: ${bodyBytesMax} bytes are read at most.`,
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    reason: 'unsupported_media_type',
    detail: () =>
      'Send the body as JSON, with the header Content-Type: application/json (PATCH also takes ' +
      'application/merge-patch+json).',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    reason: 'malformed_json',
    detail: () => 'The body does not have the length that the header Content-Length names.',
  },
};

/** @param bodyBytesMax the longest body of the route */
export function apiErrorOf(error: unknown, bodyBytesMax?: number): ApiError {
  if (error instanceof ApiError) {
    return error;
  }
  const { code = '', statusCode } = (error ?? {}) as { code?: string; statusCode?: number };
  const known = fastifyErrors[code];
  if (known !== undefined) {
    return new ApiError(known.reason, known.detail(bodyBytesMax));
  }
  if (statusCode === 400) {
    return new ApiError('malformed_json', 'The body of the request could not be read.'); // the body was cut off
  }
  return toApiError(error);
}
