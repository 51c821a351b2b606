import { listNames } from '../../domain/events/event-type.js';
import type { FormFacts } from '../installation/examine-forms.js';
import { type Check, check, statusOf } from './check.js';

const REMEDY = 'Give all daemons the same file (SIGNATURE_FORMS), and start them again.';

/** Whether each daemon that is alive signs in all forms that webhooks use, and all of them alike. */
export function judgeForms({ used, daemons }: FormFacts): Check {
  const older = used.length === 0 ? [] : daemons.filter(({ forms }) => forms === null).map(({ host }) => host);
  const lacking = daemons.flatMap(({ host, forms }) =>
    used.filter((form) => forms !== null && !Object.hasOwn(forms, form)).map((form) => `${form} on ${host}`),
  );
  const differing = used.filter(
    (form) => new Set(daemons.flatMap(({ forms }) => (forms !== null && form in forms ? [forms[form]] : []))).size > 1,
  );
  const troubles = [
    older.length > 0 &&
      `Daemons of a version before send no signatures of former systems: ${listed(older)}. Upgrade them.`,
    lacking.length > 0 &&
      `Signature forms that webhooks use and a daemon lacks: ${listed(lacking)}. Their deliveries wait there. ${REMEDY}`,
    differing.length > 0 && `Signature forms that differ between daemons: ${listed(differing)}. ${REMEDY}`,
  ].filter((one) => one !== false);
  return check(
    'signature forms',
    statusOf(older.length + lacking.length > 0, differing.length > 0),
    troubles.length > 0 ? troubles.join(' ') : 'Every daemon signs in all forms that webhooks use.',
  );
}

const listed = (all: readonly string[]): string => listNames([...new Set(all)]);
