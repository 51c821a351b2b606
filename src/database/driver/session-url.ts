/**
 * What all that is read and written rests on, whatever the server, the database or the login is set to. With another
 * date style the driver reads every time as null, so that a revoked key would be a valid one; with stricter isolation,
 * transactions that wait for each other would fail; how long a lock is waited for is each transaction's to say; and
 * without row security every statement on a table with policies fails, those of migrations too.
 */
const EVERY_SESSION =
  '-c datestyle=ISO -c default_transaction_isolation=read\\ committed -c lock_timeout=0 -c row_security=on';

/** With options for its sessions, beside those that it may have itself: they would win over the `options` of a pool. */
export function sessionUrl(url: string, options = ''): string {
  const [, text = ''] = /[?&]options=([^&]*)/.exec(url) ?? [];
  const given = decodeURIComponent(text);
  const all = [given, given.includes(EVERY_SESSION) ? '' : EVERY_SESSION, options].join(' ').trim();
  const rest = url.replace(/([?&])options=[^&]*(?:&|$)/, '$1').replace(/[?&]$/, '');
  return `${rest}${rest.includes('?') ? '&' : '?'}options=${encodeURIComponent(all)}`;
}

/**
 * Of connections for the hot statements. Planning one again costs as much as running it, and no parameter of ours makes
 * another plan better. Nor is any so long that compiling it (0.4 s for a plan over all partitions) would pay. And a
 * plan that was made while a table was empty must not read the whole of it for ever.
 */
export function hotUrl(url: string, role?: string): string {
  const options = '-c plan_cache_mode=force_generic_plan -c jit=off -c enable_seqscan=off';
  return sessionUrl(url, role === undefined ? options : `${options} -c role=${role}`);
}
