/** The allowed words as the end of a sentence about a wrong one: `must be one of KEY, ENDPOINT; did you mean KEY?` */
export function oneOf(words: readonly string[], given: unknown): string {
  const nearest = nearestWord(words, given);
  const rule = `must be ${words.length === 1 ? '' : 'one of '}${words.join(', ')}`;
  return nearest === undefined ? rule : `${rule}; did you mean ${nearest}?`;
}

/** Signs and words of other products for ours, without blanks and signs between letters. */
const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  EQ: ['=', '==', '===', 'EQUAL', 'EQUALS', 'IS'],
  NE: ['!=', '!==', '<>', 'NEQ', 'NOT', 'NOTEQUAL', 'NOTEQUALS', 'ISNOT'],
  GT: ['>', 'GREATER', 'GREATERTHAN', 'ABOVE'],
  GE: ['>=', 'GTE', 'MIN', 'ATLEAST', 'GREATEROREQUAL', 'GREATERTHANOREQUAL'],
  LT: ['<', 'LESS', 'LESSTHAN', 'BELOW'],
  LE: ['<=', 'LTE', 'MAX', 'ATMOST', 'LESSOREQUAL', 'LESSTHANOREQUAL'],
  IN: ['ONEOF', 'ANYOF'],
  NOT_IN: ['NIN', 'NONEOF'],
  EXISTS: ['PRESENT', 'ISSET', 'NOTNULL'],
  MISSING: ['NOTEXISTS', 'ABSENT', 'UNDEFINED'],
  STARTS_WITH: ['PREFIX', 'BEGINSWITH'],
  CONTAINS: ['LIKE', 'INCLUDES', 'SUBSTRING'],
  string: ['TEXT', 'STR'],
  integer: ['INT', 'LONG'],
  number: ['FLOAT', 'DOUBLE', 'DECIMAL'],
  boolean: ['BOOL'],
  array: ['LIST'],
  object: ['MAP', 'DICT'],
  eventType: ['EVENT', 'TYPE', 'TOPIC'],
  eventTypes: ['EVENTS', 'TYPES', 'TOPICS', 'ENABLEDEVENTS', 'FILTERTYPES'],
};

const CHARS_MAX = 128;

/** The word that somebody may have meant. */
export function nearestWord(words: readonly string[], given: unknown): string | undefined {
  if (typeof given !== 'string' || given.length > CHARS_MAX) {
    return undefined;
  }
  const asked = plain(given) || given.trim();
  const stepsMax = Math.min(2, (asked.length - 1) / 2);
  const plainWords = words.map((word) => [word, plain(word)] as const);
  const [found] =
    plainWords.find(([, written]) => written === asked) ??
    plainWords.find(([word]) => OTHERWISE[word]?.includes(asked)) ??
    plainWords.find(([, written]) => isWithin(stepsMax, written, asked)) ??
    [];
  return found;
}

/** There may be thousands of event types: most differ in length alone. */
const isWithin = (stepsMax: number, a: string, b: string): boolean =>
  Math.abs(a.length - b.length) <= stepsMax && distance(a, b) <= stepsMax;

const plain = (word: string): string => word.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');

/** Levenshtein distance. */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
