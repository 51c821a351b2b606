import { Trans } from '@lingui/react/macro';
import { Untrusted } from '../parts/untrusted';

/** Why a link did not sign in. */
export interface Refusal {
  /** That of the service's error. */
  code: unknown;
  isInvitation: boolean;
  /** The words of the service. */
  text: string;
}

export function LinkRefused({ code, isInvitation, text }: Refusal) {
  switch (code) {
    case 'portal_code_used':
      return isInvitation ? (
        <Trans>This invitation was opened before.</Trans>
      ) : (
        <Trans>This link was opened before.</Trans>
      );
    case 'portal_code_expired':
      return isInvitation ? <Trans>This invitation is no longer valid.</Trans> : <Trans>This link has expired.</Trans>;
    case 'not_found':
      return <Trans>This link is incomplete or wrong.</Trans>;
    default:
      return <Untrusted text={text} />;
  }
}
