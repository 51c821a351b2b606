export type CheckStatus = 'ok' | 'warn' | 'fail';

/** A subject, its state, and a sentence with the remedy. */
export interface Check {
  name: string;
  status: CheckStatus;
  text: string;
}

export const check = (name: string, status: CheckStatus, text: string): Check => ({ name, status, text });

/** `fail` where the first condition is true, else `warn` where the second one is, else `ok`. */
export const statusOf = (isBad: boolean, isDoubtful = false): CheckStatus =>
  isBad ? 'fail' : isDoubtful ? 'warn' : 'ok';

export const failIf = (isBad: boolean, name: string, trouble: string, fine: string): Check =>
  check(name, statusOf(isBad), isBad ? trouble : fine);

export const warnIf = (isDoubtful: boolean, name: string, trouble: string, fine: string): Check =>
  check(name, statusOf(false, isDoubtful), isDoubtful ? trouble : fine);

export function durationText(seconds: number): string {
  if (seconds < 120) {
    return `${Math.round(seconds)} s`;
  }
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
