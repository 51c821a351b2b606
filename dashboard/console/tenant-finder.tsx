import { Trans, useLingui } from '@lingui/react/macro';
import { useClient } from 'urql';
import { type Findings, FindWindow } from '../parts/find-window';
import type { FinderProps } from '../parts/frame-tools';
import { Untrusted } from '../parts/untrusted';
import { FIND_TENANT } from './documents';
import { CONSOLE_SCREENS } from './screens';

/** Takes the name or the id of a tenant, or the name of a screen of the console, and goes there. */
export default function TenantFinder(props: FinderProps) {
  const { t } = useLingui();
  const client = useClient();
  const find = async (wanted: string): Promise<Findings> => {
    const number = /^(?:tn_)?(\d{1,15})$/.exec(wanted)?.[1];
    const variables = { id: number ?? '0', byId: number !== undefined, text: wanted };
    const { data, error } = await client.query(FIND_TENANT, variables).toPromise();
    const named = data?.tenants?.edges.map(({ node }) => node) ?? [];
    const found = data?.tenant ? [data.tenant, ...named.filter(({ id }) => id !== data.tenant?.id)] : named;
    return {
      hits: found.map(({ databaseId, name }) => ({
        path: `/tenants/${databaseId}`,
        name: (
          <>
            <span className="max-w-[min(24rem,60vw)] truncate">
              <Untrusted text={name} />
            </span>
            <span className="text-faint">tn_{databaseId}</span>
          </>
        ),
      })),
      nothing: error?.networkError
        ? t`The service cannot be reached.`
        : t`No tenant has the id “${wanted}”, or a name with that in it.`,
    };
  };
  return (
    <FindWindow
      {...props}
      name={<Trans>The id of a tenant, or a part of its name; or a screen</Trans>}
      hint={<Trans>Events, deliveries and endpoints have their search inside their tenant.</Trans>}
      screens={CONSOLE_SCREENS}
      find={find}
    />
  );
}
