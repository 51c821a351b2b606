import { describe, expect, test } from 'vitest';
import { digestAfter, isTimeZone } from '../../src/domain/notices/digest.js';
import { MAIL_ADDRESS } from '../../src/domain/notices/mail-address.js';
import { countMail, type MailRhythm, planMail, type WaitingNotice } from '../../src/domain/notices/plan-mail.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const at = (text: string) => Date.parse(text);
const NOW = at('2026-03-10T12:00:00Z');

describe('a daily digest', () => {
  test.each([
    ['2026-01-15T06:59:00Z', 'Europe/Berlin', '2026-01-15T07:00:00Z'],
    ['2026-01-15T07:00:00Z', 'Europe/Berlin', '2026-01-16T07:00:00Z'],
    ['2026-03-28T12:00:00Z', 'Europe/Berlin', '2026-03-29T06:00:00Z'],
    ['2026-10-24T12:00:00Z', 'Europe/Berlin', '2026-10-25T07:00:00Z'],
    ['2026-01-15T22:00:00Z', 'Asia/Tokyo', '2026-01-15T23:00:00Z'],
    ['2026-01-15T12:00:00Z', 'America/Los_Angeles', '2026-01-15T16:00:00Z'],
    ['2026-01-15T12:00:00Z', 'Asia/Kathmandu', '2026-01-16T02:15:00Z'],
    ['2026-01-15T08:00:00.001Z', 'UTC', '2026-01-16T08:00:00Z'],
  ])('of %s in %s comes at %s', (moment, timeZone, digest) => {
    expect(new Date(digestAfter(at(moment), timeZone)).toISOString()).toBe(new Date(digest).toISOString());
  });

  test('is for time zones with a name', () => {
    expect(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires'].every(isTimeZone)).toBe(true);
    expect(['', 'Mars/Base', '+02:00', "x'; drop"].some(isTimeZone)).toBe(false);
  });
});

test.each(['a@example.com', 'first.last+tag@mail.example.co.uk', "o'neil@example.com", 'a@xn--bcher-kva.example'])(
  '%s is an address',
  (text) => expect(MAIL_ADDRESS.test(text)).toBe(true),
);

test.each([
  '',
  'a',
  'a@b',
  'a@@example.com',
  '.a@example.com',
  'a..b@example.com',
  '"a b"@example.com',
  'a(comment)@example.com',
  'a@example.com\r\nBcc: b@example.com',
  'a@example.com\n',
  'a@example.com,b@example.com',
  'A <a@example.com>',
  'a@[127.0.0.1]',
  'a@-example.com',
  'ä@example.com',
  'a@bücher.example',
  `${'a'.repeat(65)}@example.com`,
  `a@${'b.'.repeat(130)}example.com`,
])('%j is not an address', (text) => expect(MAIL_ADDRESS.test(text)).toBe(false));

describe('a mail', () => {
  const rhythm: MailRhythm = {
    digest: 'AT_ONCE',
    timeZone: 'UTC',
    wantsNotices: true,
    hourBeganMs: null,
    mailsInHour: 0,
  };
  const notice = (topic: string, agoMs: number, change: Partial<WaitingNotice> = {}): WaitingNotice => ({
    id: 1,
    topic,
    happenedMs: NOW - agoMs,
    sendAfterMs: NOW - agoMs + MINUTE_MS,
    tries: 0,
    reminders: 0,
    isCurrent: true,
    ...change,
  });
  const plan = (notices: WaitingNotice[], change: Partial<MailRhythm> = {}) => {
    const { send, drop, later } = planMail({ ...rhythm, ...change }, notices, NOW);
    const topics = (some: WaitingNotice[]) => some.map(({ topic }) => topic);
    return {
      send: topics(send),
      drop: topics(drop),
      later: later.map(({ notice: { topic }, untilMs }) => `${topic} ${new Date(untilMs).toISOString()}`),
    };
  };

  test('has everything that comes within a minute of the first notice, except warnings that may still settle', () => {
    const notices = [notice('DISABLED', MINUTE_MS), notice('EXHAUSTED', 5_000), notice('FAILING', 5_000)];
    expect(plan(notices)).toEqual({ send: ['DISABLED', 'EXHAUSTED'], drop: [], later: [] });
    expect(plan([notice('DISABLED', 59_000), notice('FAILING', 5_000)])).toEqual({ send: [], drop: [], later: [] });
  });

  test('has no warning that is over, and none for those who have unsubscribed', () => {
    expect(plan([notice('FAILING', MINUTE_MS, { isCurrent: false })])).toMatchObject({ send: [], drop: ['FAILING'] });
    expect(plan([notice('FAILING', MINUTE_MS)])).toMatchObject({ send: ['FAILING'] });
    expect(plan([notice('DISABLED', MINUTE_MS)], { wantsNotices: false })).toMatchObject({ drop: ['DISABLED'] });
  });

  test('asks for a confirmation alone', () => {
    const notices = [notice('DISABLED', MINUTE_MS), notice('CONFIRM', MINUTE_MS)];
    expect(plan(notices, { wantsNotices: false })).toEqual({ send: ['CONFIRM'], drop: [], later: [] });
  });

  test('waits for the digest, and then has all of the day', () => {
    const daily = { digest: 'DAILY' } as const;
    expect(plan([notice('DISABLED', MINUTE_MS)], daily)).toMatchObject({
      send: [],
      later: ['DISABLED 2026-03-11T08:00:00.000Z'],
    });
    const old = [notice('DISABLED', 20 * HOUR_MS), notice('EXHAUSTED', 5 * HOUR_MS)];
    expect(plan(old, daily)).toMatchObject({ send: ['DISABLED', 'EXHAUSTED'], later: [] });
    expect(plan([notice('TEST', MINUTE_MS)], daily)).toMatchObject({ send: ['TEST'] });
    expect(plan([notice('DISABLED', HOUR_MS, { tries: 1 })], daily)).toMatchObject({ send: ['DISABLED'] });
  });

  test('becomes a list of the hour after ten in an hour', () => {
    const busy = { mailsInHour: 10, hourBeganMs: NOW - 40 * MINUTE_MS };
    expect(plan([notice('DISABLED', MINUTE_MS)], busy)).toMatchObject({
      send: [],
      later: ['DISABLED 2026-03-10T12:20:00.000Z'],
    });
    expect(plan([notice('DISABLED', MINUTE_MS)], { ...busy, mailsInHour: 9 })).toMatchObject({ send: ['DISABLED'] });
    expect(plan([notice('DISABLED', MINUTE_MS)], { ...busy, hourBeganMs: NOW - HOUR_MS })).toMatchObject({
      send: ['DISABLED'],
    });
    expect(countMail({ ...rhythm, ...busy }, NOW)).toEqual({ hourBeganMs: busy.hourBeganMs, mailsInHour: 11 });
    expect(countMail(rhythm, NOW)).toEqual({ hourBeganMs: NOW, mailsInHour: 1 });
  });
});
