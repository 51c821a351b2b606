import { Trans } from '@lingui/react/macro';
import type { ComponentProps } from 'react';
import { TextField } from '../../parts/field';

const REASON_CHARS_MAX = 500;

/** Why payloads are erased, for the audit log. */
export function ReasonField(props: Pick<ComponentProps<typeof TextField>, 'value' | 'onChange' | 'refusal'>) {
  return (
    <TextField
      {...props}
      name={<Trans>Reason</Trans>}
      hint={<Trans>It stays in the audit log: do not name the person.</Trans>}
      required
      maxLength={REASON_CHARS_MAX}
    />
  );
}
