/**
 * Characters that nobody sees: marks of direction, which turn the text around them, and blanks without width. Joiners
 * stay, which scripts and emoji need, and so do signs with a shape (U+0600).
 */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** A text without characters that nobody sees: two names that look alike are the same. */
export const visibleText = (text: string): string => text.replaceAll(INVISIBLE, '');
