import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type LinkKind, recipientOfLink } from '../../operations/notices/follow-link.js';
import { CONFIRM_PATH, UNSUBSCRIBE_PATH } from '../../operations/notices/links.js';
import type { Services } from '../context/context.js';

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { max-width: 36rem; margin: 15vh auto; padding: 0 1.5rem }
  h1 { font-size: 1.25rem }
  button { font: inherit; padding: .5rem 1rem }`;

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const texts = {
  en: {
    confirm: {
      title: 'Get notices by e-mail?',
      text: (address: string) => `Notices about endpoints will be sent to ${address}.`,
      button: 'Get the notices',
      done: 'The address is confirmed.',
      after: 'You can unsubscribe by a link in each mail.',
    },
    unsubscribe: {
      title: 'Stop the notices?',
      text: (address: string) => `No more notices will be sent to ${address}.`,
      button: 'Unsubscribe',
      done: 'You are unsubscribed.',
      after: 'No more notices are sent to this address.',
    },
    wrong: 'This link does not work.',
    ask: 'It was used already, is older than 24 hours, or is not complete. You can have another one sent.',
  },
  de: {
    confirm: {
      title: 'Benachrichtigungen per E-Mail bekommen?',
      text: (address: string) => `Benachrichtigungen über Endpunkte gehen dann an ${address}.`,
      button: 'Benachrichtigungen bekommen',
      done: 'Die Adresse ist bestätigt.',
      after: 'Jede Mail hat einen Link zum Abbestellen.',
    },
    unsubscribe: {
      title: 'Benachrichtigungen abbestellen?',
      text: (address: string) => `An ${address} gehen dann keine Benachrichtigungen mehr.`,
      button: 'Abbestellen',
      done: 'Sie haben die Benachrichtigungen abbestellt.',
      after: 'An diese Adresse gehen keine Benachrichtigungen mehr.',
    },
    wrong: 'Dieser Link funktioniert nicht.',
    ask: 'Er wurde schon benutzt, ist älter als 24 Stunden oder nicht vollständig. Sie können einen neuen senden lassen.',
  },
};

type Request = FastifyRequest<{ Params: { link: string } }>;

/** A form, or the body of a one-click unsubscription (RFC 8058), of which nothing is read. */
const BODY_BYTES_MAX = 4_096;

/**
 * The pages that links in mails lead to, without a key: the link has a secret. A GET changes nothing, because programs
 * that scan mails follow links; only the page's button does, or a mail program's POST.
 */
export async function noticePages(app: FastifyInstance, services: Services): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX }, (_request, _body, done) =>
    done(null, null),
  );
  for (const [kind, path] of [
    ['confirm', CONFIRM_PATH],
    ['unsubscribe', UNSUBSCRIBE_PATH],
  ] as const) {
    for (const method of ['GET', 'POST'] as const) {
      app.route({
        method,
        url: `${path}:link`,
        handler: async (request, reply) => {
          const { link } = (request as Request).params;
          const follow = method === 'POST';
          const recipient = await recipientOfLink(services, kind, link, { follow });
          return sendPage(request, reply, recipient, kind, follow);
        },
      });
    }
  }
}

function sendPage(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  recipient: Awaited<ReturnType<typeof recipientOfLink>>,
  kind: LinkKind,
  isDone: boolean,
): FastifyReply {
  const tag = recipient === null ? (headers['accept-language'] ?? '') : (recipient.locale ?? 'en');
  const language = /^de\b/i.test(tag) ? 'de' : 'en';
  const words = texts[language];
  const { title, text, button, done, after } = words[kind];
  const asked = `<p>${escaped(text(recipient?.address ?? ''))}</p>\n<form method="post"><button>${button}</button></form>`;
  const [heading, body] =
    recipient === null
      ? [words.wrong, `<p>${words.ask}</p>`]
      : isDone
        ? [done, `<p role="status">${after}</p>`]
        : [title, asked];
  return reply
    .code(recipient === null ? 404 : 200)
    .headers({ 'cache-control': 'no-store', 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' })
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>
<html lang="${language}">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${heading}</title>
<style>${STYLE}</style>
<main>
<h1>${heading}</h1>
${body}
</main>
</html>
`);
}

const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
