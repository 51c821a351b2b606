import { Trans } from '@lingui/react/macro';
import { buttonLook } from '../parts/button';

/**
 * A link to where the person came from.
 *
 * @param returnUrl checked by `safeReturnUrl`; null: there is none
 */
export function WayBack({ returnUrl }: { returnUrl: string | null }) {
  if (returnUrl === null) {
    return null;
  }
  return (
    <a href={returnUrl} target="_top" rel="noreferrer" className={buttonLook('plain')}>
      <Trans>Back to {new URL(returnUrl).host}</Trans>
    </a>
  );
}
