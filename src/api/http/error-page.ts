import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ApiError, errorCatalogue } from '../../errors.js';

/** The page loads itself again after this time, if the error passes. */
const AGAIN_SECONDS_MIN = 3;

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { max-width: 36rem; margin: 15vh auto; padding: 0 1.5rem }
  h1 { font-size: 1.25rem }`;
/** A reload keeps what is behind the #, such as the code of a portal link; a redirect might not. */
const SCRIPT = `
  const { again } = document.documentElement.dataset;
  if (again) setTimeout(() => location.reload(), Number(again) * 1000 * (1 + Math.random() / 2));`;

const sourceOf = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`;
const policy = [
  "default-src 'none'",
  `script-src ${sourceOf(SCRIPT)}`,
  `style-src ${sourceOf(STYLE)}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const texts = {
  en: {
    passing: 'The service is not available right now.',
    again: 'This page tries again by itself.',
    missing: 'There is no such page.',
    other: 'This page cannot be shown.',
    request: 'Request',
  },
  de: {
    passing: 'Der Dienst ist gerade nicht verfügbar.',
    again: 'Diese Seite versucht es von selbst noch einmal.',
    missing: 'Diese Seite gibt es nicht.',
    other: 'Diese Seite kann nicht angezeigt werden.',
    request: 'Anfrage',
  },
};

/** Whether a person has opened the address in a browser. */
export const isVisit = ({ method, headers: { accept = '' } }: Pick<FastifyRequest, 'method' | 'headers'>): boolean =>
  method === 'GET' && accept.includes('text/html');

/**
 * Answers a person who has opened an address with a page that says what is wrong. The page waits for an error that
 * passes. It may then stand in frames of every site: it has neither a session nor anything to click, and the page that
 * follows names its own frames.
 */
export function sendErrorPage(request: FastifyRequest, reply: FastifyReply, error: ApiError): FastifyReply {
  const { reason, status, extra } = error;
  const isPassing = reason === 'unavailable' || reason === 'rate_limited';
  const language = /^de\b/i.test(request.headers['accept-language'] ?? '') ? 'de' : 'en';
  const words = texts[language];
  const isMissing = status === errorCatalogue.not_found.status;
  const title = isPassing ? words.passing : isMissing ? words.missing : words.other;
  const again = isPassing ? Math.max(extra.retryAfterSeconds ?? 0, AGAIN_SECONDS_MIN) : '';
  const page = `<!doctype html>
<html lang="${language}" data-again="${again}">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${STYLE}</style>
<main>
<h1>${title}</h1>
<p role="status">${isPassing ? words.again : ''}</p>
<p lang="en">${escaped(error.detail)}</p>
<p>${words.request} <code>${escaped(request.id)}</code></p>
</main>
<script>${SCRIPT}</script>
</html>
`;
  return reply
    .code(status)
    .headers({
      ...error.headers,
      'cache-control': 'no-store',
      'content-security-policy': `${policy}; frame-ancestors ${isPassing ? '*' : "'none'"}`,
      'referrer-policy': 'no-referrer',
    })
    .type('text/html; charset=utf-8')
    .send(page);
}

const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
