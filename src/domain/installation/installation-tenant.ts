/**
 * The tenant that webhooks of the installation belong to (docs/decisions/0085). Ids of tenants begin with 1, and 0
 * stands for no tenant at all, so no id that a caller writes is this one.
 */
export const INSTALLATION_TENANT = -1;

/** The header Hookwright-Tenant names the installation by this word, in place of a tenant. */
export const INSTALLATION_NAMED = 'installation';
