/**
 * Settings that every session needs, whatever the server, the database or the login is set to. With another date style
 * the driver reads every time as null, and a revoked key would be valid; with stricter isolation, transactions that
 * wait for each other fail; each transaction sets its own lock timeout; without row security every statement on a table
 * with policies fails.
 */
const EVERY_SESSION =
  '-c datestyle=ISO -c default_transaction_isolation=read\\ committed -c lock_timeout=0 -c row_security=on';

/** Adds options for its sessions to those of the url, which would win over the `options` of a connection. */
export function sessionUrl(url: string, options = ''): string {
  const [, text = ''] = /[?&]options=([^&]*)/.exec(url) ?? [];
  const all = [decodeURIComponent(text), EVERY_SESSION, options].join(' ').trim();
  const rest = url.replace(/([?&])options=[^&]*(?:&|$)/, '$1').replace(/[?&]$/, '');
  return `${rest}${rest.includes('?') ? '&' : '?'}options=${encodeURIComponent(all)}`;
}

/** @param role of the sessions; default: the user of the url */
export const roleOptions = (role?: string): string => (role === undefined ? '' : `-c role=${role}`);

const KEY_WAIT = '-c app.key_wait=50ms';

/**
 * The options of connections for the hot statements. Planning one again costs as much as running it, none is long
 * enough for compiling to pay (0.4 s for a plan over all partitions), and a plan from when a table was empty must not
 * read the whole table later. Emits share transactions, so none of them waits for long for an ordering key.
 */
export const hotOptions = (role?: string): string =>
  `-c plan_cache_mode=force_generic_plan -c jit=off -c enable_seqscan=off ${KEY_WAIT} ${roleOptions(role)}`.trim();
