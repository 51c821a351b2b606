/** The path before `/dashboard/`, where the service says that its files are. */
const [, named = ''] = /^https?:\/\/[^/]+(.*)\/dashboard\//.exec(import.meta.url) ?? [];

/**
 * The path of the service at its origin: empty, or such as `/hooks`. It is also empty where somebody has opened the page
 * past the proxy, at the service's own root.
 */
export const BASE = globalThis.location?.pathname.startsWith(`${named}/`) ? named : '';
