import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { ChevronLeft, LifeBuoy } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { useQuery } from 'urql';
import { markedExternalId } from '../../src/domain/ids/external-id';
import { INSTALLATION_NAMED, INSTALLATION_TENANT } from '../../src/domain/installation/installation-tenant';
import { Failure } from '../parts/page';
import { Link, PlaceContext } from '../parts/place';
import { WithClient } from '../parts/signed-in';
import { Badge } from '../parts/status';
import { TenantFrame } from '../parts/tenant-frame';
import { useAllowed, useViewer } from '../parts/viewer';
import { Brand } from './brand';
import { TENANT_OF } from './documents';
import { GoTo } from './go-to';

const SETTINGS = [{ path: '/settings', name: msg`Settings` }];

/**
 * The screens of one tenant, from inside the console. The key of a tenant sees its own alone; with a platform key
 * somebody is here as support, with a client of the API that names the tenant.
 */
export function TenantArea() {
  const { tenantId } = useParams({ strict: false }) as { tenantId: string };
  const { tenant: own } = useViewer();
  const maySettle = useAllowed('keys:admin');
  const place = `/tenants/${tenantId}`;
  const externalId = markedExternalId(tenantId);
  if (externalId !== null) {
    return own == null ? <ByExternalId externalId={externalId} /> : <ToNumber number={own.databaseId} />;
  }
  if (own == null && (tenantId === INSTALLATION_NAMED || tenantId === String(INSTALLATION_TENANT))) {
    return (
      <WithClient tenantId={INSTALLATION_NAMED} wayOut={<BackToInstallation />}>
        <PlaceContext value={place}>
          <TenantFrame brand={<BackToInstallation />} canLeave />
        </PlaceContext>
      </WithClient>
    );
  }
  if (own == null) {
    return (
      <WithClient tenantId={tenantId} wayOut={<BackToTenants />}>
        <PlaceContext value={place}>
          <TenantFrame brand={<BackToTenants />} notice={<AsSupport />} more={maySettle ? SETTINGS : []} canLeave />
        </PlaceContext>
      </WithClient>
    );
  }
  if (tenantId !== String(own.databaseId) && tenantId !== own.id) {
    return <GoTo to={`/tenants/${own.databaseId}`} />;
  }
  return (
    <PlaceContext value={place}>
      <TenantFrame brand={<Brand />} canLeave />
    </PlaceContext>
  );
}

/** Addresses that other programs link to may have the external id of a tenant: they lead to those with its number. */
function ByExternalId({ externalId }: { externalId: string }) {
  const [{ data, error }, again] = useQuery({ query: TENANT_OF, variables: { externalId } });
  if (data?.tenant != null) {
    return <ToNumber number={data.tenant.databaseId} />;
  }
  return (
    error && (
      <div className="mx-auto flex max-w-xl flex-col gap-3 p-6">
        <BackToTenants />
        <Failure error={error} retry={again} />
      </div>
    )
  );
}

function ToNumber({ number }: { number: number }) {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const to = pathname.replace(/^\/tenants\/[^/]+/, `/tenants/${number}`);
  useEffect(() => void navigate({ to: to as string, search: true as never, replace: true }), [navigate, to]);
  return null;
}

function BackToTenants() {
  return (
    <BackTo screen="/tenants">
      <Trans>Tenants</Trans>
    </BackTo>
  );
}

function BackToInstallation() {
  return (
    <BackTo screen="/">
      <Trans>Console</Trans>
    </BackTo>
  );
}

function BackTo({ screen, children }: { screen: string; children: ReactNode }) {
  return (
    <Link
      outside
      to={screen}
      className="-ms-1 inline-flex items-center gap-0.5 font-normal text-soft no-underline hover:text-ink"
    >
      <ChevronLeft aria-hidden className="size-4 rtl:-scale-x-100" />
      {children}
    </Link>
  );
}

function AsSupport() {
  const { t } = useLingui();
  const audited = t`The tenant's audit log records your visit and your changes.`;
  return (
    <span className="inline-flex items-center gap-2 font-normal" title={audited}>
      <Badge tone="warn" icon={LifeBuoy}>
        <Trans>As support</Trans>
      </Badge>
      <span className="text-xs text-soft max-lg:sr-only">{audited}</span>
    </span>
  );
}
