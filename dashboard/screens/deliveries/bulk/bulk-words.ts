import { plural } from '@lingui/core/macro';
import { useLingui } from '@lingui/react/macro';
import type { BulkAction } from './bulk-forms.js';

/** The words of an action on many deliveries, and what sets it apart. */
export interface BulkWords {
  name: string;
  title: string;
  danger: boolean;
  action: (total: number, text: string) => string;
  consequence: (total: number) => string;
  done: (total: number) => string;
  /** About deliveries whose state does not allow it: of some of the chosen ones, or of all. */
  skipped: (total: number) => string;
  allSkipped: string;
}

export function useBulkWords(): Record<BulkAction, BulkWords> {
  const { t } = useLingui();
  return {
    resend: {
      name: t`Send again`,
      title: t`Send deliveries again`,
      danger: false,
      action: (_, text) => t`Send ${text} again`,
      consequence: (total) =>
        plural(total, {
          one: 'One delivery is sent again, with the same number and all its retries.',
          other: '# deliveries are sent again, with the same numbers and all their retries.',
        }),
      done: (total) =>
        plural(total, { one: '# delivery is on its way again.', other: '# deliveries are on their way again.' }),
      skipped: (total) =>
        plural(total, {
          one: 'One selected delivery is still in progress and will be skipped.',
          other: '# selected deliveries are still in progress and will be skipped.',
        }),
      allSkipped: t`Only finished deliveries can be sent again.`,
    },
    attempt: {
      name: t`Try now`,
      title: t`Try waiting deliveries now`,
      danger: false,
      action: (total, text) => plural(total, { one: 'Try one now', other: `Try ${text} now` }),
      consequence: (total) =>
        plural(total, {
          one: 'One delivery is sent now. Later retries go on from that attempt.',
          other: '# deliveries are sent now. Later retries go on from that attempt.',
        }),
      done: (total) => plural(total, { one: '# delivery is due now.', other: '# deliveries are due now.' }),
      skipped: (total) =>
        plural(total, {
          one: 'One selected delivery is not pending and will be skipped.',
          other: '# selected deliveries are not pending and will be skipped.',
        }),
      allSkipped: t`Only pending deliveries can be tried now. Release held ones at their endpoint.`,
    },
    cancel: {
      name: t`Cancel`,
      title: t`Cancel deliveries`,
      danger: true,
      action: (total, text) => plural(total, { one: 'Cancel one delivery', other: `Cancel ${text} deliveries` }),
      consequence: (total) =>
        plural(total, {
          one: 'One delivery will not be sent. A request already in flight will finish.',
          other: '# deliveries will not be sent. Requests already in flight will finish.',
        }),
      done: (total) => plural(total, { one: '# delivery is canceled.', other: '# deliveries are canceled.' }),
      skipped: (total) =>
        plural(total, {
          one: 'One selected delivery is finished and will be skipped.',
          other: '# selected deliveries are finished and will be skipped.',
        }),
      allSkipped: t`Only pending or held deliveries can be canceled.`,
    },
  };
}
