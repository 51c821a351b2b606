import { Trans } from '@lingui/react/macro';
import { useQuery } from 'urql';
import { graphql } from '../../api/generated';
import { buttonLook } from '../../parts/button';
import { Answer } from '../../parts/page';
import { Link } from '../../parts/place';
import { Untrusted } from '../../parts/untrusted';

const FIRST_TENANTS = graphql(`
  query FirstTenants {
    tenants(first: 2) { edges { node { id databaseId name webhookCount } } }
  }
`);

/** Leads on from an installation that has one tenant and no endpoint, as the first start makes it. */
export function FirstSteps() {
  const [{ data }] = useQuery({ query: FIRST_TENANTS });
  const [first, second] = data?.tenants?.edges.map(({ node }) => node) ?? [];
  if (first === undefined || second !== undefined || (first.webhookCount ?? 0) > 0) {
    return null;
  }
  return (
    <Answer
      tone="info"
      actions={
        <Link to={`/tenants/${first.databaseId}/overview`} className={buttonLook('primary')}>
          <Trans>Add the first endpoint</Trans>
        </Link>
      }
    >
      <p className="font-medium">
        <Trans>Nothing is sent until you add an endpoint.</Trans>
      </p>
      <p className="text-sm text-soft">
        <Trans>
          Endpoints belong to tenants, your customers. There is one: <Untrusted text={first.name} />.
        </Trans>
      </p>
    </Answer>
  );
}
