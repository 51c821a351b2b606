import { ApiError, type Reason, toApiError } from '../errors.js';

const bodyErrorReasons: Record<string, Reason> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_json',
};
const bodyErrorDetails: Partial<Record<Reason, string>> = {
  unsupported_media_type: 'Send the body as JSON, with the header Content-Type: application/json.',
  malformed_json: 'The body does not have the length that the header Content-Length names.',
};

const urlErrorDetails: Record<string, string> = {
  FST_ERR_BAD_URL: 'The URL of the request is malformed.',
  FST_ERR_MAX_PARAM_LENGTH: 'There is nothing at this path: a part of it is too long to be an id.',
};

/**
 * Turns whatever a route, a hook, Fastify or the database threw into what the caller may be told.
 *
 * @param bodyBytesMax how long a body the route reads
 */
export function apiErrorOf(error: unknown, bodyBytesMax?: number): ApiError {
  if (error instanceof ApiError) {
    return error;
  }
  const { code = '', statusCode } = (error ?? {}) as { code?: string; statusCode?: number };
  const reason = bodyErrorReasons[code];
  if (reason === 'payload_too_large') {
    return new ApiError(
      reason,
      `The body of the request is too long: ${bodyBytesMax} bytes are read at most.`,
    );
  }
  if (reason !== undefined) {
    return new ApiError(reason, bodyErrorDetails[reason] ?? '');
  }
  const urlDetail = urlErrorDetails[code];
  if (urlDetail !== undefined) {
    return new ApiError('not_found', urlDetail);
  }
  if (statusCode === 400) {
    return new ApiError('malformed_json', 'The body of the request could not be read.'); // it broke off
  }
  return toApiError(error);
}
