import type { I18n, MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { remedyFor } from '../../text/remedies';
import { statusText } from '../../text/status-codes';
import type { Search } from '../place';

const CLASSES: Readonly<Record<string, MessageDescriptor>> = {
  HTTP_3XX: msg`a redirect`,
  HTTP_4XX: msg`another 4xx status`,
  HTTP_5XX: msg`another 5xx status`,
  OTHER: msg`other reasons`,
};

/** A reason as `FailuresOfReason.reason` of the API, in words: `503 Service Unavailable`, `it does not answer in time`. */
export function reasonWords(i18n: I18n, reason: string): string {
  const status = /^HTTP_(\d{3})$/.exec(reason)?.[1];
  return status === undefined ? i18n._(CLASSES[reason] ?? remedyFor(reason).why) : statusText(Number(status));
}

/** The filters of the deliveries whose latest attempt failed for this reason. */
export function listOfReason(reason: string): Search {
  if (reason === 'OTHER') {
    return { status: 'ATTEMPT_FAILED' };
  }
  return reason.endsWith('XX') ? { class: reason } : { error: reason };
}
