/** The ids that another system has given to a tenant or a webhook (docs/decisions/0081). */

export const EXTERNAL_ID_CHARS_MAX = 255;

/** The form of an external id, whatever its length. Header values have no spaces at their ends. */
export const EXTERNAL_ID = /^[!-~](?:[ -~]*[!-~])?$/;

/** Before an external id where the service's own ids stand as well. No global id and no number begins with it. */
const MARK = 'ext:';

export const EXTERNAL_ID_RULE = `1 to ${EXTERNAL_ID_CHARS_MAX} printable ASCII characters without spaces at the ends`;

export const isExternalId = (text: string): boolean => text.length <= EXTERNAL_ID_CHARS_MAX && EXTERNAL_ID.test(text);

/** How texts name a tenant: by its number, its global id, or its external id. */
export const NAMED_TENANT = new RegExp(`^(?:(?:tn_)?[1-9][0-9]*|${MARK}${EXTERNAL_ID.source.slice(1, -1)})$`);

/** The external id that a text such as `ext:acme_42` names; null for every other text. */
export function markedExternalId(text: string): string | null {
  const id = text.startsWith(MARK) ? text.slice(MARK.length) : '';
  return isExternalId(id) ? id : null;
}

/** `ext:acme_42`, as headers, addresses and commands have it. */
export const withMark = (externalId: string): string => `${MARK}${externalId}`;
