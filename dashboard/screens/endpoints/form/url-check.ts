import { URL_LENGTH_MAX } from '../../../../src/domain/fields/webhook-fields.js';

/** Why the service will refuse a url; `typing`: it may still become a good one. */
export type UrlProblem = 'typing' | 'too-long' | 'not-a-url' | 'not-https' | 'userinfo' | 'fragment' | 'port' | 'local';

/**
 * Looks at a url while it is being typed. The service judges by more (its settings, its list of ports and addresses);
 * this finds what it refuses always. `http://` to this machine is left to it: an installation for trials allows that.
 */
export function urlProblem(text: string): UrlProblem | undefined {
  const wanted = text.trim();
  if (wanted === '' || /^h(t(t(p(s?(:\/?)?)?)?)?)?$/i.test(wanted) || /^https?:\/\/$/i.test(wanted)) {
    return 'typing';
  }
  if (wanted.length > URL_LENGTH_MAX) {
    return 'too-long';
  }
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(wanted) || !URL.canParse(wanted)) {
    return 'not-a-url';
  }
  const url = new URL(wanted);
  const loopback = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback)) {
    return 'not-https';
  }
  if (url.username !== '' || url.password !== '') {
    return 'userinfo';
  }
  if (url.hash !== '') {
    return 'fragment';
  }
  const port = Number(url.port === '' ? 443 : url.port);
  if (port !== 443 && port !== 80 && port < 1_024 && !loopback) {
    return 'port';
  }
  if (!loopback && !url.hostname.includes('.') && !url.hostname.startsWith('[')) {
    return 'local';
  }
  return undefined;
}
