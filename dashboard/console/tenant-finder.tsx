import { Trans, useLingui } from '@lingui/react/macro';
import { useClient } from 'urql';
import { labelOf } from '../parts/cells';
import { HitName, SHOWN_MAX, useFindTypes, useKindNames, useNothing, useWhereIs } from '../parts/find-any-id';
import { type Findings, FindWindow } from '../parts/find-window';
import type { FinderProps } from '../parts/frame-tools';
import { useAllowed } from '../parts/viewer';
import { FIND_TENANTS } from './documents';
import { useConsoleScreens } from './screens';

/** Takes the number, id or external id of anything of any tenant, a part of a tenant's or event type's name, a screen. */
export default function TenantFinder(props: FinderProps) {
  const { t } = useLingui();
  const client = useClient();
  const screens = useConsoleScreens();
  const whereIs = useWhereIs();
  const findTypes = useFindTypes('/event-types');
  const kinds = useKindNames();
  const nothing = useNothing(t`Names, URLs and idempotency keys are found in their tenant.`);
  const find = async (wanted: string): Promise<Findings> => {
    const [known, { data, error }, types] = await Promise.all([
      whereIs(wanted),
      client.query(FIND_TENANTS, { text: wanted, first: SHOWN_MAX }).toPromise(),
      findTypes(wanted),
    ]);
    const tenants = (data?.tenants?.edges ?? []).map(({ node }) => ({
      path: `/tenants/${node.databaseId}/overview`,
      name: <HitName kind={kinds.TENANT} id={labelOf(node.name, node.externalId)} of={node.id} />,
    }));
    // A tenant that was found by its name has one, and stands for itself.
    const others = known.map(({ hit }) => hit).filter(({ path }) => tenants.every((tenant) => tenant.path !== path));
    return { hits: [...others, ...tenants, ...types], nothing: nothing(wanted, error) };
  };
  return (
    <FindWindow
      {...props}
      name={<Trans>Number, id, external ID, tenant, event type or screen</Trans>}
      hint={<Trans>A number from a customer's log leads to its tenant.</Trans>}
      screens={screens}
      find={find}
      payloads={useAllowed('events:read') ? '/payloads' : undefined}
    />
  );
}
