import type { SendErrorCode } from '../../src/domain/deliveries/outcome.js';
import type { Chance } from './chance.js';

/** The answer of a receiver to a request. */
export type Answer =
  | { kind: 'response'; status: number; latencyMs: number; headers: Record<string, string>; body: string }
  | { kind: 'error'; code: SendErrorCode; latencyMs: number };

/** How a receiver answers at a time. @param hoursAgo 0: now, and in the time to come. @param body as it was emitted, or sent */
export type Behaves = (chance: Chance, hoursAgo: number, body: string) => Answer;

const json = (server: string, chance: Chance) => ({
  'content-type': 'application/json; charset=utf-8',
  server,
  'x-request-id': chance.hex(20),
});

export const ok =
  (latencyMs: number, server = 'nginx/1.27.4'): Behaves =>
  (chance) => ({
    kind: 'response',
    status: 200,
    latencyMs: chance.around(latencyMs),
    headers: json(server, chance),
    body: JSON.stringify({ received: true, id: chance.hex(8) }),
  });

export const accepted =
  (latencyMs: number): Behaves =>
  (chance) => ({
    kind: 'response',
    status: 202,
    latencyMs: chance.around(latencyMs),
    headers: { server: 'cloudflare', 'cf-ray': `${chance.hex(16)}-FRA`, 'content-length': '0' },
    body: '',
  });

/** With the page that a web server or a framework makes of its errors. */
export const status =
  (code: number, latencyMs: number, headers: Record<string, string> = {}): Behaves =>
  (chance) => ({
    kind: 'response',
    status: code,
    latencyMs: chance.around(latencyMs),
    headers: { server: 'nginx/1.27.4', 'content-type': 'text/html', ...headers },
    body: `<html>\r\n<head><title>${code} ${titles[code]}</title></head>\r\n<body>\r\n<center><h1>${code} ${titles[code]}</h1></center>\r\n<hr><center>nginx/1.27.4</center>\r\n</body>\r\n</html>\r\n`,
  });

const titles: Record<number, string> = {
  404: 'Not Found',
  410: 'Gone',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Temporarily Unavailable',
  504: 'Gateway Time-out',
};

export const exception =
  (latencyMs: number): Behaves =>
  (chance) => ({
    kind: 'response',
    status: 500,
    latencyMs: chance.around(latencyMs),
    headers: json('gunicorn', chance),
    body: JSON.stringify(
      {
        error: 'InternalError',
        message: "KeyError: 'lead_guest'",
        trace: ['app/hooks.py:88 in receive', 'app/mapping.py:31 in to_contact', 'app/mapping.py:54 in name_of'],
        request_id: chance.hex(20),
      },
      null,
      2,
    ),
  });

export const error =
  (code: SendErrorCode, latencyMs: number): Behaves =>
  (chance) => ({ kind: 'error', code, latencyMs: code === 'TIMEOUT' ? latencyMs : chance.around(latencyMs) });

/** Mostly the one, in this part of the cases the other. */
export const sometimes =
  (part: number, other: Behaves, usual: Behaves): Behaves =>
  (chance, ...when) =>
    chance.next() < part ? other(chance, ...when) : usual(chance, ...when);

/** One until this long ago, the other since then. */
export const since =
  (hours: number, now: Behaves, before: Behaves): Behaves =>
  (chance, hoursAgo, body) =>
    (hoursAgo <= hours ? now : before)(chance, hoursAgo, body);

/** The one for bodies with this text, the other for the rest. */
export const about =
  (text: string, other: Behaves, usual: Behaves): Behaves =>
  (chance, hoursAgo, body) =>
    (body.includes(text) ? other : usual)(chance, hoursAgo, body);
