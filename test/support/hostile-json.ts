import { fc } from './properties.js';

/**
 * Names of payloads that are read wrongly by somebody. None is a backslash alone: after an object with that name,
 * JSON.parse of Node 24 takes the name "\\u0001" of another one for it.
 */
export const hostileNames = [
  ...['a', 'a', 'b', 'a.b', '', ' ', '"', '\\x', "'", '$', '$type', '@type', '*', '0', 'ключ', '\u{1f600}', '\u2028'],
  ...['__proto__', 'constructor', 'toString', '\u0001', 'x"y', '\\u0041', 'é', 'e\u0301'],
];
export const hostileTexts = [
  ...['', 'a', 'A', 'ab', 'paid', '"', '\\', "'", '\u{1f600}', '\uffff', '\ue000', 'é', 'e\u0301', '\u0007', '%'],
  ...['.*', '(', '[', 'a"b', '\\d', '^a$', 'a\nb', '--', '1', 'null', 'order.paid'],
];
/** As they are written in payloads. */
const numbers = [
  ...['0', '-0', '1', '1.0', '1e0', '10', '-1', '2', '0.1', '0.10000000000000000001', '1e-7', '5e-324', '1.5E+2'],
  ...['9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993', '1e400', '1e131071', '1e131072'],
  ...['1e-16383', '1e-16384', '0e-20000', '0e99999', '123456789012345678901234567890.5', `1${'0'.repeat(2_000)}`],
];
/** Texts with escapes: some that jsonb cannot have. */
const escapes = ['"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"\\ud83d\\ude00"', '"\\\\u0000"', '"\\u0041"', '"\\/"'];

const leaf = fc.oneof(
  fc.constantFrom(...hostileTexts).map((text) => JSON.stringify(text)),
  fc.constantFrom(...numbers),
  fc.constantFrom('true', 'false', 'null'),
  { weight: 1, arbitrary: fc.constantFrom(...escapes) },
);
const drawn = fc.letrec<{ value: string; members: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    tie('members'),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
  ),
  members: fc
    .array(fc.tuple(fc.constantFrom(...hostileNames), tie('value')), { maxLength: 4 })
    .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}: ${value}`).join(', ')}}`),
}));

/** The text of any JSON; and of an object. */
export const hostileJson = drawn.value;
export const hostileObject = drawn.members;
