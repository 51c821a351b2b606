/** Root fields that take a platform key: a tenant's is refused, whatever is in the arguments. */
export const platformFields: ReadonlySet<string> = new Set([
  'createTenant',
  'deleteTenant',
  'deprecateEventType',
  'hideEventType',
  'installation',
  'addConverter',
  'converterProof',
  'createRelease',
  'registerEventType',
  'tenant',
  'tenants',
  'updateEventType',
  'updateTenant',
  'whereIs',
]);
