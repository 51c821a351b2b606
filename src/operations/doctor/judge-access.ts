import { thisProgram } from '../../platform/node/this-program.js';
import { type Check, failIf, warnIf } from './check.js';

/**
 * Whether the API and the applications of the outbox can do their work.
 *
 * @param apiTrouble a sentence; null: the role of the API has its rights
 * @param closedDoors logins that have outbox grants and may not emit
 */
export function judgeAccess(
  apiTrouble: string | null,
  closedDoors: readonly { role: string; tenantIds: readonly number[] }[],
): Check[] {
  const roles = closedDoors.map(({ role }) => role).join(', ');
  const repair = closedDoors.flatMap(({ role, tenantIds }) =>
    tenantIds.map((tenantId) => `${thisProgram} outbox grant ${role} --tenant ${tenantId}`),
  );
  return [
    failIf(apiTrouble !== null, 'api rights', apiTrouble ?? '', 'The API has its rights on tables and functions.'),
    warnIf(
      closedDoors.length > 0,
      'outbox',
      `These logins have grants and may not emit: ${roles}. Make those that are missing, and run: ${repair.join('; ')}.`,
      'Every login with a grant may emit.',
    ),
  ];
}
