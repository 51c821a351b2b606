import { Plural, Trans } from '@lingui/react/macro';
import type { EndpointRowFragment } from '../../api/generated/graphql';
import { EndpointLink } from '../../parts/cells';
import { Answer } from '../../parts/page';

/** The endpoints with blocked keys, each with the way to its page, where they are unblocked. */
export default function StoppedAnswer({ endpoints }: { endpoints: readonly EndpointRowFragment[] }) {
  return (
    <Answer tone="bad">
      <p className="font-medium">
        <Plural value={endpoints.length} one="# endpoint has blocked keys:" other="# endpoints have blocked keys:" />
      </p>
      {endpoints.map((endpoint) => (
        <EndpointLink key={endpoint.id} webhook={endpoint} />
      ))}
      <p className="mt-0.5 text-sm text-soft">
        <Trans>A delivery has failed for good. Later ones of its key wait until someone unblocks it.</Trans>
      </p>
    </Answer>
  );
}
