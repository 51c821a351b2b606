import { readRequestLimits } from '../../src/operations/tenants/read-request-limits.js';
import type { HasPool } from '../../src/platform/database/database.js';
import type { Gate } from '../gate/gate.js';
import type { Duty } from './duty.js';

/** Has the gate follow what operators allow the requests of tenants. */
export function followLimits({ db }: { db: HasPool }, gate: Pick<Gate, 'limits'>): Pick<Duty, 'begin' | 'work'> {
  const work = async () => {
    gate.limits = await readRequestLimits(db.pool);
  };
  return { work, begin: work };
}
