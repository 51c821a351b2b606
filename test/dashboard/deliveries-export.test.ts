import { expect, test } from 'vitest';
import { toCsv, toJson } from '../../dashboard/screens/deliveries/list/export.js';

const row = {
  id: 'dl_1',
  status: 'FAILED',
  eventType: 'booking.created',
  eventId: 'ev_1',
  webhookId: 'wh_4',
  path: '/actions/7',
  attemptCount: 2,
  lastStatusCode: 503,
  lastErrorCode: 'HTTP_503',
  createdAt: '2026-01-31T11:00:00+00:00',
  nextAttemptAt: null,
  webhook: { url: 'https://example.com/a' },
};

test('a list is saved as JSON with a flat object for each delivery', () => {
  expect(JSON.parse(toJson([row]))).toEqual([
    {
      id: 'dl_1',
      status: 'FAILED',
      eventType: 'booking.created',
      eventId: 'ev_1',
      webhookId: 'wh_4',
      url: 'https://example.com/a',
      path: '/actions/7',
      attemptCount: 2,
      lastStatusCode: 503,
      lastErrorCode: 'HTTP_503',
      createdAt: '2026-01-31T11:00:00+00:00',
      nextAttemptAt: null,
      finishedAt: null,
      cancelReason: null,
    },
  ]);
  expect(JSON.parse(toJson([]))).toEqual([]);
});

test('a list is saved as CSV with a heading', () => {
  expect(toCsv([row]).split('\r\n')).toEqual([
    'id,status,eventType,eventId,webhookId,url,path,attemptCount,lastStatusCode,lastErrorCode,createdAt,nextAttemptAt,finishedAt,cancelReason',
    'dl_1,FAILED,booking.created,ev_1,wh_4,https://example.com/a,/actions/7,2,503,HTTP_503,2026-01-31T11:00:00+00:00,,,',
    '',
  ]);
});

test.each([
  ['=cmd|calc', "'=cmd|calc"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@sum', "'@sum"],
  ['\t=1', "'\t=1"],
  ['\r=1', `"'\r=1"`],
  ['a,"b"\nc', '"a,""b""\nc"'],
  ['=a,b', `"'=a,b"`],
])('in CSV the text %j is not a formula and no other cell', (eventType, expected) => {
  expect(toCsv([{ eventType }])).toContain(`,${expected},`);
});
