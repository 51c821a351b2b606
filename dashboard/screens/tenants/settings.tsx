import { useLingui } from '@lingui/react/macro';
import { PageHead } from '../../parts/page';
import { useAllowed, useViewer } from '../../parts/viewer';
import { DeleteTenant } from './delete-tenant';
import { DeliveryDefaults } from './delivery-defaults';
import { PortalLink } from './portal-link';
import { RenameTenant } from './rename-tenant';
import { TenantExternalId } from './tenant-external-id';
import { TenantLimits } from './tenant-limits';
import { TenantRetention } from './tenant-retention';

/** The operator's actions on a tenant, beside those of the tenant itself. */
export default function TenantSettings() {
  const { t } = useLingui();
  const { tenant } = useViewer();
  const mayChange = useAllowed('platform:admin');
  return (
    <>
      <PageHead title={t`Settings`} />
      {tenant && (
        <div className="flex flex-col gap-4">
          {mayChange && (
            <div className="grid gap-4 lg:grid-cols-2">
              <RenameTenant key={tenant.name} tenant={tenant} />
              <TenantExternalId key={tenant.externalId} tenant={tenant} />
            </div>
          )}
          {mayChange && <TenantRetention key={tenant.retentionDays} tenant={tenant} />}
          {mayChange && <DeliveryDefaults key={tenant.id} tenant={tenant} />}
          {mayChange && <TenantLimits key={`limits ${tenant.id}`} tenant={tenant} />}
          <PortalLink />
          {mayChange && <DeleteTenant tenant={tenant} />}
        </div>
      )}
    </>
  );
}
