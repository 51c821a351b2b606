import { ApiError } from '../../errors.js';

/**
 * Entity tags of webhooks (RFC 9110 §8.8.3) and If-Match. A tag stands for `version`, which changes with each setting,
 * not with the results of deliveries. The tag is strong, because If-Match compares strongly. There is no 304: answers
 * are not stored (`Cache-Control: no-store`).
 */

export const etagOf = (version: number): string => `"${version}"`;

/** No webhook has this version. */
const NO_VERSION = 0;

const TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/**
 * Reads the header If-Match (RFC 9110 §13.1.1), whose tags have no commas: no tag of a webhook has.
 *
 * @returns null: any version matches
 * @throws ApiError header_malformed
 */
export function readIfMatch(header: string | undefined): readonly string[] | null {
  if (header === undefined || header.trim() === '*') {
    return null;
  }
  const elements = header.split(',').map((element) => element.trim());
  const tags = elements.filter((element) => element !== '');
  if (tags.length === 0 || !tags.every((tag) => TAG.test(tag))) {
    const detail = 'If-Match must be * or a list of entity tags, such as "3" or "3", "4".';
    throw new ApiError('header_malformed', detail);
  }
  return tags;
}

/**
 * The version that a webhook must still have when it is changed.
 *
 * @param current the version that it has now
 * @returns undefined: any
 */
export function versionFor(header: string | undefined, current: number): number | undefined {
  const tags = readIfMatch(header);
  if (tags === null) {
    return undefined;
  }
  return tags.includes(etagOf(current)) ? current : NO_VERSION;
}
