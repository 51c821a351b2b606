import type { Webhook } from '../../entities/webhook.js';
import { refusedInput } from '../../errors.js';

interface Settling {
  by?: string | null | undefined;
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
export function settleProblem(
  { by, keep, settleSeconds, settleMaxSeconds }: Settling,
  change: object,
): Unsettled | null {
  if (settleSeconds == null && settleMaxSeconds == null) {
    return null;
  }
  const settling = settleSeconds == null ? 'settleMaxSeconds' : 'settleSeconds';
  const isSet = 'settleSeconds' in change || 'settleMaxSeconds' in change;
  if ((by == null || by === 'NONE') && (isSet || 'by' in change)) {
    const detail = isSet
      ? 'needs `by: KEY` or `by: ENDPOINT`: without an order each event is sent at once'
      : `must stay KEY or ENDPOINT while \`${settling}\` is set: remove that too`;
    return { field: isSet ? settling : 'by', code: 'settle_needs_order', detail };
  }
  if (keep !== 'LATEST') {
    const isLeftOver = 'keep' in change && !isSet;
    const detail = isLeftOver
      ? `must stay LATEST while \`${settling}\` is set: remove that too`
      : 'needs `keep: LATEST`: a new event takes the place of the one that waits';
    return { field: isLeftOver ? 'keep' : settling, code: 'settle_needs_latest', detail };
  }
  if (settleSeconds == null) {
    return { field: 'settleMaxSeconds', code: 'contradiction', detail: 'is for `settleSeconds`, which is not set' };
  }
  if (settleMaxSeconds != null && settleMaxSeconds < settleSeconds) {
    const detail = `must be at least \`settleSeconds\`, which is ${settleSeconds}`;
    return { field: 'settleMaxSeconds', code: 'settle_out_of_range', detail };
  }
  return null;
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
