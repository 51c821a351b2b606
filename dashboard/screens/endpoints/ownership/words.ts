import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { CircleCheck, CirclePause } from 'lucide-react';
import type { State } from '../../../parts/status';
import type { Verification } from './use-verify';

/** Names for lists. Whether the endpoint is asked again automatically is said beside them. */
export const VERIFICATION_STATES: Record<Verification['status'], State> = {
  VERIFIED: { name: msg`Verified`, tone: 'good', icon: CircleCheck },
  PENDING: { name: msg`Not verified`, tone: 'warn', icon: CirclePause },
  FAILED: { name: msg`Not verified`, tone: 'warn', icon: CirclePause },
};

/** The answer that has proved it. */
export const VERIFICATION_METHODS: Record<NonNullable<Verification['method']>, MessageDescriptor> = {
  OPTIONS: msg`its answer to OPTIONS, as in CloudEvents`,
  CHALLENGE: msg`its answer to the signed event webhook.challenge`,
};
