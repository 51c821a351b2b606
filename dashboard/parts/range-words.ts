import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { Range } from './range';

/** A range within a sentence: "in the last 24 hours". */
export const RANGE_WORDS: Record<Range['name'], MessageDescriptor> = {
  '1h': msg`in the last hour`,
  '24h': msg`in the last 24 hours`,
  '7d': msg`in the last 7 days`,
  '30d': msg`in the last 30 days`,
  custom: msg`in this range`,
};
