/** An error of the mail library. */
export interface SmtpError extends Error {
  code?: string;
  /** The command that was answered, such as `RCPT TO`. */
  command?: string;
  responseCode?: number;
  response?: string;
}

type RefusedPart = 'GREETING' | 'SENDER' | 'LOGIN' | 'RELAY' | 'RECIPIENT';

/**
 * The part of a mail that an answer refuses. Postfix judges name, sender and login of a client only with the first
 * recipient, so the command alone does not say it.
 */
export function refusedPart({
  command = '',
  responseCode = 0,
  response = '',
}: Pick<SmtpError, 'command' | 'responseCode' | 'response'>): RefusedPart {
  if (/^(EHLO|HELO)$/.test(command) || responseCode === 504 || /\b(helo|ehlo)\b/i.test(response)) {
    return 'GREETING';
  }
  if (responseCode === 530 || /\bauthenticat|\bSTARTTLS\b/i.test(response)) {
    return 'LOGIN';
  }
  if (/\brelay/i.test(response)) {
    return 'RELAY';
  }
  const isSender =
    command === 'MAIL FROM' || /\bsender\b/i.test(response) || /^\d{3}[ -][45]\.1\.[78]\b/.test(response);
  return isSender ? 'SENDER' : 'RECIPIENT';
}

/** Whether the answer names a policy (RFC 3463, X.7): about the service as well as about the address. */
export const isPolicy = (response: string): boolean => /^\d{3}[ -][45]\.7\.\d/.test(response);
