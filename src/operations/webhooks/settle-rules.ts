import type { Webhook } from '../../entities/webhook.js';
import { refusedInput } from '../../errors.js';

/**
 * Requires that the times for which a key must be quiet fit each other, and that only the latest event of a key is
 * sent: one that takes the place of another cancels it.
 *
 * @param webhook as it will be, with its options row
 * @param change the settings that are set now
 * @throws ApiError invalid_input
 */
export function requireSettling({ options }: Pick<Webhook, 'options'>, change: object): void {
  const { by, keep, settleSeconds, settleMaxSeconds } = options ?? {};
  if (settleSeconds == null && settleMaxSeconds == null) {
    return;
  }
  const settling = settleSeconds == null ? 'settleMaxSeconds' : 'settleSeconds';
  const isSet = 'settleSeconds' in change || 'settleMaxSeconds' in change;
  if ((by == null || by === 'NONE') && (isSet || 'by' in change)) {
    const detail = isSet
      ? 'needs `by: KEY` or `by: ENDPOINT`: without an order each event is sent at once'
      : `must stay KEY or ENDPOINT while \`${settling}\` is set: remove that too`;
    throw refusedInput(['ordering', isSet ? settling : 'by'], 'settle_needs_order', detail);
  }
  if (keep !== 'LATEST') {
    const isLeftOver = 'keep' in change && !isSet;
    const detail = isLeftOver
      ? `must stay LATEST while \`${settling}\` is set: remove that too`
      : 'needs `keep: LATEST`: a new event takes the place of the one that waits';
    throw refusedInput(['ordering', isLeftOver ? 'keep' : settling], 'settle_needs_latest', detail);
  }
  if (settleSeconds == null) {
    throw refusedInput(['ordering', 'settleMaxSeconds'], 'contradiction', 'is for `settleSeconds`, which is not set');
  }
  if (settleMaxSeconds != null && settleMaxSeconds < settleSeconds) {
    const detail = `must be at least \`settleSeconds\`, which is ${settleSeconds}`;
    throw refusedInput(['ordering', 'settleMaxSeconds'], 'settle_out_of_range', detail);
  }
}
