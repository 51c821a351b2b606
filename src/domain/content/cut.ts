/** A text of at most so many characters: a longer one ends with an ellipsis, and not within a character. */
export const cut = (text: string, charsMax: number): string =>
  text.length <= charsMax ? text : `${text.slice(0, charsMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
