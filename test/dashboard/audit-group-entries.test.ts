import { expect, test } from 'vitest';
import { groupVisits } from '../../dashboard/screens/audit/group-entries.js';

const row = (action: string, createdAt: string, apiKeyId = 'key_1') => ({
  action,
  createdAt,
  apiKeyId,
  actor: 'TENANT_KEY',
});
const dayOf = (moment: string) => moment.slice(0, 10);

test('The portal links that a key makes on one day are one line at the place of the latest; others stay apart', () => {
  const rows = [
    row('PORTAL_SESSION_CREATED', '2026-11-26T12:00'),
    row('WEBHOOK_UPDATED', '2026-11-26T11:00'),
    row('PORTAL_SESSION_CREATED', '2026-11-26T10:00'),
    row('PORTAL_SESSION_CREATED', '2026-11-26T09:00', 'key_2'),
    row('PORTAL_SESSION_CREATED', '2026-11-25T23:00'),
    row('WEBHOOK_UPDATED', '2026-11-25T22:00'),
  ];
  expect(groupVisits(rows, dayOf).map(({ entry, times }) => [entry.createdAt.slice(5), times])).toEqual([
    ['11-26T12:00', 2],
    ['11-26T11:00', 1],
    ['11-26T09:00', 1],
    ['11-25T23:00', 1],
    ['11-25T22:00', 1],
  ]);
});
