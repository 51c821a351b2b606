import { ENDPOINT_SUBJECT, EndpointName, NameAndId } from '../../parts/cells';
import { Link } from '../../parts/place';

interface OfTenant {
  webhookId: string;
  name?: string | null;
  url: string;
  externalId?: string | null;
  tenant?: { databaseId: number; name: string; externalId?: string | null } | null;
}

/** Into the area of the tenant; an endpoint's number follows the prefix of its id. */
export const pathOf = ({ tenant, webhookId }: OfTenant): string =>
  tenant == null ? '/tenants' : `/tenants/${tenant.databaseId}/endpoints/${webhookId.replace(/^\D+/, '')}`;

/** An endpoint in a list of all tenants. */
export function EndpointOfTenant({ row }: { row: OfTenant }) {
  return (
    <Link to={pathOf(row)} className={ENDPOINT_SUBJECT}>
      <EndpointName endpoint={row} />
    </Link>
  );
}

export function TenantLink({ tenant }: { tenant: OfTenant['tenant'] }) {
  return (
    tenant && (
      <Link to={`/tenants/${tenant.databaseId}`} className="text-soft no-underline hover:underline">
        <span className="inline-block max-w-48 truncate align-bottom">
          <NameAndId {...tenant} />
        </span>
      </Link>
    )
  );
}
