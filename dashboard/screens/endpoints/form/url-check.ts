import {
  hostOf,
  isLocalhost,
  isPortAllowed,
  isPublicName,
  partFault,
  portOf,
  readUrl,
} from '../../../../src/domain/addresses/url-form.js';

/**
 * Judges a url while it is being typed, by the rules that depend on no setting. The service judges the rest: addresses,
 * and whether `http://` is allowed.
 *
 * @returns `typing` while it may still become a good one, or a code of the service's
 */
export function urlProblem(text: string) {
  const wanted = text.trim();
  if (wanted === '' || /^h(t(t(p(s?(:\/?)?)?)?)?)?$/i.test(wanted) || /^https?:\/\/$/i.test(wanted)) {
    return 'typing';
  }
  const url = readUrl(wanted);
  if (!(url instanceof URL)) {
    return url.code;
  }
  const host = hostOf(url);
  const isAddress = /^[\d.]+$|:/.test(host);
  const mayBeOpened = isAddress || isLocalhost(host);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && mayBeOpened)) {
    return 'url_scheme';
  }
  const fault = partFault(url, wanted);
  if (fault !== null) {
    return fault.code;
  }
  if (!mayBeOpened && !isPublicName(host)) {
    return 'url_host';
  }
  return mayBeOpened || isPortAllowed(portOf(url)) ? undefined : 'url_port';
}
