interface Failing {
  gone: number;
  disabled: number;
  failing: number;
}

/**
 * Tenants with their failing endpoints: those that have any first, the worst of all, as the API ranks them.
 *
 * @param listed as the list reads them, the newest first.
 * @param worst the worst tenants of all, whether the list has read them or not.
 * @param searched lists no others.
 */
export function worstFirst<Tenant extends { id: string }>(
  listed: readonly Tenant[],
  worst: readonly (Failing & { tenant?: Tenant | null })[],
  searched: boolean,
): (Tenant & { failing: Failing | undefined })[] {
  const ranked = worst.flatMap(({ tenant, ...failing }) => (tenant == null ? [] : [{ ...tenant, failing }]));
  const isListed = new Set(listed.map(({ id }) => id));
  const isRanked = new Set(ranked.map(({ id }) => id));
  return [
    ...ranked.filter(({ id }) => !searched || isListed.has(id)),
    ...listed.filter(({ id }) => !isRanked.has(id)).map((tenant) => ({ ...tenant, failing: undefined })),
  ];
}

/** Tenants in an order of the API, with what fails of them as far as it is known. */
export function withFailing<Tenant extends { id: string }>(
  tenants: readonly Tenant[],
  worst: readonly (Failing & { tenant?: Tenant | null })[],
): (Tenant & { failing: Failing | undefined })[] {
  return tenants.map((tenant) => ({ ...tenant, failing: worst.find((one) => one.tenant?.id === tenant.id) }));
}
