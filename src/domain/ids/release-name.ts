export const RELEASE_NAME_CHARS_MAX = 40;

export const RELEASE_NAME_RULE = `1 to ${RELEASE_NAME_CHARS_MAX} letters, digits, dots, hyphens and underscores, the first a letter or a digit, such as 2026-11`;

/** The part of a global id, and of URLs. */
export const isReleaseName = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/.test(text);
