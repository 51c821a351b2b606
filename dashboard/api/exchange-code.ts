import { ForeignAnswer, hasOwnType } from './foreign-answer';
import { untilAnswered } from './passing';
import type { Session } from './session';

/** An exchange of a one-time code that the service has refused, in its words. */
export class CodeRefused extends Error {
  /** @param code of the error, such as `portal_code_used`; undefined: it has none */
  constructor(
    message: string,
    readonly code: unknown,
  ) {
    super(message);
  }
}

/**
 * Exchanges a one-time code for a token: `POST /portal/s/<public id>` or `POST /console/sign-in`.
 *
 * @param waits is called when the service is away, and the code is sent again until it is back; default: it is sent
 *   once
 * @throws CodeRefused when the code is unknown, used or too old; ForeignAnswer
 */
export async function exchangeCode(
  path: string,
  code: string,
  waits?: () => void,
): Promise<Session & { token: string }> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ code });
  const send = () => fetch(path, { method: 'POST', headers, body });
  const response = await (waits === undefined ? send() : untilAnswered(send, waits));
  if (!hasOwnType(response)) {
    throw new ForeignAnswer(response.status);
  }
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (!response.ok || typeof answer['token'] !== 'string') {
    throw new CodeRefused(String(answer['detail'] ?? answer['title'] ?? response.statusText), answer['code']);
  }
  // How far this machine's clock is ahead of the service's, which may be minutes.
  const aheadMs = Date.now() - Date.parse(response.headers.get('date') ?? '') || 0;
  const expiresAt = new Date(Date.parse(String(answer['expiresAt'])) + aheadMs);
  return { token: answer['token'], expiresAt };
}
