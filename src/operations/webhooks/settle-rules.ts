import type { Webhook } from '../../entities/webhook.js';
import { refusedInput } from '../../errors.js';

interface Settling {
  keep?: string | null | undefined;
  settleSeconds?: number | null | undefined;
  settleMaxSeconds?: number | null | undefined;
}

/** Why the times for which a key must be quiet do not fit. `detail` is the end of a sentence about the field. */
interface Unsettled {
  field: keyof Settling;
  code: string;
  detail: string;
}

/**
 * Judges whether the times for which a key must be quiet fit each other, and whether only the latest event of a key is
 * sent: one that takes the place of another cancels it.
 *
 * @param options as they will be
 * @param change the settings that are set now
 * @returns null: they fit
 */
export function settleProblem({ keep, settleSeconds, settleMaxSeconds }: Settling, change: object): Unsettled | null {
  if (settleSeconds == null && settleMaxSeconds == null) {
    return null;
  }
  if (keep !== 'LATEST') {
    const isLeftOver = 'keep' in change && !('settleSeconds' in change) && !('settleMaxSeconds' in change);
    const detail = isLeftOver
      ? 'must stay LATEST while `settleSeconds` is set: remove that too'
      : 'needs `keep: LATEST`: a new event takes the place of the one that waits';
    const field = isLeftOver ? 'keep' : settleSeconds == null ? 'settleMaxSeconds' : 'settleSeconds';
    return { field, code: 'settle_needs_latest', detail };
  }
  if (settleSeconds == null) {
    return { field: 'settleMaxSeconds', code: 'contradiction', detail: 'is for `settleSeconds`, which is not set' };
  }
  return settleMaxSeconds != null && settleMaxSeconds < settleSeconds
    ? {
        field: 'settleMaxSeconds',
        code: 'settle_out_of_range',
        detail: `must be at least \`settleSeconds\`, which is ${settleSeconds}`,
      }
    : null;
}

/**
 * Requires what `settleProblem` judges.
 *
 * @param webhook as it will be, with its options row
 * @param change the settings that are set now
 * @throws ApiError invalid_input
 */
export function requireSettling({ options }: Pick<Webhook, 'options'>, change: object): void {
  const problem = settleProblem(options ?? {}, change);
  if (problem !== null) {
    throw refusedInput(['ordering', problem.field], problem.code, problem.detail);
  }
}
