import { headersOfForm, type PlannedForm, withoutHeaders } from '../signing/signature-form.js';
import { headerKey, isReserved, isSameHeader, nameProblem } from './headers.js';

/** The headers of signature forms beside those that the service sends, and those that a webhook's owner sets. */

/** Headers of the service that an owner may replace, and a form may not. */
const SENT = ['user-agent', 'accept'];
/** Owners may not take them, so that they are free for the form of that system. */
const FREE = 'svix-';

/**
 * The end of a sentence about a name that a form's header may not have; null: it may.
 *
 * @param prefix `HEADER_PREFIX`
 */
export function formHeaderProblem(name: string, prefix: string): string | null {
  if (nameProblem(name, prefix)?.code === 'header_name_malformed') {
    return 'is not the name of a header';
  }
  const isFree = headerKey(name).startsWith(FREE) && !headerKey(`${prefix}-`).startsWith(FREE);
  return (isReserved(name, prefix) && !isFree) || SENT.some((one) => isSameHeader(one, name))
    ? 'is a header that the service or the connection sets'
    : null;
}

/** The headers of a form that a webhook's owner has set too: the owner's are sent. */
export const replacedIn = (form: PlannedForm, own: readonly string[]): string[] =>
  headersOfForm(form).filter((name) => own.some((one) => isSameHeader(one, name)));

/** The form beside the headers that an owner has set. */
export const besideOwn = (form: PlannedForm, own: readonly string[]): PlannedForm => {
  const replaced = replacedIn(form, own);
  return replaced.length === 0 ? form : withoutHeaders(form, (name) => replaced.includes(name));
};
