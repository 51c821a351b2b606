import { digestAfter } from './digest.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Notices of a recipient within this time are one mail. */
export const MERGED_MS = MINUTE_MS;
/** Beyond this number of mails in an hour the rest waits until the hour is over, and is one mail. */
const MAILS_PER_HOUR_MAX = 10;
/** From each failed try to the next one: five tries in a day. */
const TRY_AGAIN_MS = [5 * MINUTE_MS, 30 * MINUTE_MS, 3 * HOUR_MS, 20 * HOUR_MS];
/** After a disabling, while deliveries are still held. */
const REMIND_AFTER_MS = [DAY_MS, 3 * DAY_MS];

/** Times are in ms. */
export interface WaitingNotice {
  id: number;
  /** One of the topics of recipients, or CONFIRM or TEST. */
  topic: string;
  happenedMs: number;
  sendAfterMs: number;
  /** How often a mail with it has failed. */
  tries: number;
  /** How many mails about the same disabling were sent. */
  reminders: number;
  /**
   * Whether it is still true: the webhook still fails, has a blocked key, or holds deliveries of this disabling, or its
   * certificate was not replaced.
   */
  isCurrent: boolean;
}

export interface MailRhythm {
  digest: 'AT_ONCE' | 'DAILY';
  timeZone: string;
  /** It is confirmed and has not unsubscribed. */
  wantsNotices: boolean;
  hourBeganMs: number | null;
  mailsInHour: number;
}

interface MailPlan {
  /** One mail; none if it is empty. */
  send: WaitingNotice[];
  /** Nobody needs to hear of these any more. */
  drop: WaitingNotice[];
  /** These wait until then. */
  later: { notice: WaitingNotice; untilMs: number }[];
}

/**
 * Decides on a recipient's waiting notices. A notice of failures, of a blocked key or of a certificate that ends is
 * dropped if that is over, and so is a reminder of a webhook that holds nothing any more. A request to confirm the
 * address is a mail of its own.
 *
 * @param notices those that are due, or will be within MERGED_MS
 */
export function planMail(recipient: MailRhythm, notices: readonly WaitingNotice[], nowMs: number): MailPlan {
  const confirm = notices.filter(({ topic, sendAfterMs }) => topic === 'CONFIRM' && sendAfterMs <= nowMs);
  if (confirm.length > 0) {
    return { send: confirm, drop: [], later: [] };
  }
  const plan: MailPlan = { send: [], drop: [], later: [] };
  const hourEndsMs = endOfBusyHour(recipient, nowMs);
  for (const notice of notices) {
    const isDue = notice.sendAfterMs <= nowMs;
    const untilMs = Math.max(hourEndsMs, momentOf(recipient, notice));
    if (!recipient.wantsNotices || (isDue && !notice.isCurrent)) {
      plan.drop.push(notice);
    } else if (untilMs > nowMs) {
      plan.later.push({ notice, untilMs: Math.max(untilMs, notice.sendAfterMs) });
    } else if (isDue || (notice.isCurrent && notice.topic !== 'FAILING')) {
      plan.send.push(notice);
    }
  }
  const isAnyDue = plan.send.some(({ sendAfterMs }) => sendAfterMs <= nowMs);
  return isAnyDue ? plan : { ...plan, send: [] };
}

function endOfBusyHour({ hourBeganMs, mailsInHour }: MailRhythm, nowMs: number): number {
  return hourBeganMs !== null && mailsInHour >= MAILS_PER_HOUR_MAX && hourBeganMs + HOUR_MS > nowMs
    ? hourBeganMs + HOUR_MS
    : 0;
}

/** When the recipient's digest has the notice; 0: it is for no digest. */
function momentOf({ digest, timeZone }: MailRhythm, { topic, tries, reminders, happenedMs }: WaitingNotice): number {
  if (digest === 'AT_ONCE' || topic === 'TEST' || tries > 0) {
    return 0;
  }
  return digestAfter(happenedMs + (reminders === 0 ? 0 : REMIND_AFTER_MS[reminders - 1]!), timeZone);
}

/** When a mail is tried again after `tries` failures, from the last one on; null: never. */
export const tryAgainInMs = (tries: number): number | null => TRY_AGAIN_MS[tries - 1] ?? null;

/** When a notice that was sent is sent again; null: never. */
export function remindAtMs({ topic, happenedMs, reminders }: WaitingNotice): number | null {
  const after = topic === 'DISABLED' ? REMIND_AFTER_MS[reminders] : undefined;
  return after === undefined ? null : happenedMs + after;
}

/** The hour that a mail counts in, and how many it has with it. */
export function countMail(rhythm: MailRhythm, nowMs: number): { hourBeganMs: number; mailsInHour: number } {
  const { hourBeganMs, mailsInHour } = rhythm;
  return hourBeganMs !== null && hourBeganMs + HOUR_MS > nowMs
    ? { hourBeganMs, mailsInHour: mailsInHour + 1 }
    : { hourBeganMs: nowMs, mailsInHour: 1 };
}
