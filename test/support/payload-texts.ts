/** A payload as a producer writes it. */
interface PayloadText {
  what: string;
  text: string;
  /** The signed and sent text. Default: the text itself, byte for byte. */
  becomes?: string;
}

const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
const nestedLists = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
/** A payload of so many bytes, with a letter of two bytes in it. */
const ofBytes = (bytes: number) => `{"ä":"${'a'.repeat(bytes - '{"ä":""}'.length - 1)}"}`;
const astral = String.fromCodePoint(0x1f600, 0x20bb7, 0xe0041, 0xf0000, 0x10ffff);

const PAYLOAD_BYTES_MAX = 262_144;

/** Texts that `JSON.stringify` writes in just this way. */
const unchanged: Record<string, string> = {
  'an empty object': '{}',
  'empty values': '{"a":"","b":[],"c":{},"d":null}',
  'all types': '{"a":true,"b":false,"c":null,"d":1,"e":"x","f":[1,[2]],"g":{"h":{}}}',
  'an empty key': '{"":1}',
  'a key of spaces': '{" ":1,"  ":2}',
  'the key __proto__': '{"__proto__":{"polluted":true}}',
  'the key __proto__ with a text': '{"__proto__":"x","a":{"__proto__":null}}',
  'the keys constructor and prototype': '{"constructor":{"prototype":{"polluted":true}},"prototype":1}',
  'keys that are members of objects': '{"toString":1,"valueOf":2,"hasOwnProperty":3,"toJSON":4,"length":5}',
  'keys of Postgres and of JSON Schema': '{"$ref":"#","$id":"x","ctid":"(0,1)"}',
  'keys with dots, slashes and tildes': '{"a.b":1,"a/b":2,"a~b":3,"~1":4}',
  'a key of 1,000 letters': `{"${'k'.repeat(1000)}":1}`,
  '5,000 keys': `{${Array.from({ length: 5000 }, (_, i) => `"k${i}":${i}`).join(',')}}`,
  'keys out of order': '{"b":1,"a":2,"c":{"z":1,"y":2}}',
  slashes: '{"url":"https://a.example.com/b/c?d=e"}',
  'quotes and backslashes': '{"a":"\\"quoted\\" \\\\ \\\\\\""}',
  NUL: '{"a":"x\\u0000y","\\u0000":"\\u0000"}',
  'every control character': `{"a":${JSON.stringify(String.fromCharCode(...Array(32).keys()))}}`,
  'DEL and the C1 controls': '{"a":"\x7f\x80\x85\x9f"}',
  'a lone high surrogate': '{"a":"\\ud800"}',
  'a lone low surrogate': '{"a":"x\\udfffy"}',
  'surrogates in the wrong order': '{"a":"\\udc00\\ud800"}',
  'a lone surrogate in a key': '{"\\ud83d":1}',
  'letters of two and three bytes': '{"a":"Ölrabatt ß 日本語 ﷽"}',
  'characters of all planes': `{"a":"${astral}","${astral}":1}`,
  'line and paragraph separators': '{"a":"\u2028\u2029"}',
  'a byte order mark in a text': '{"a":"\ufeffx\ufeff"}',
  noncharacters: '{"a":"\ufffe\uffff\ufdd0"}',
  'U+FFFD': '{"a":"\ufffd"}',
  'combining letters, not composed': '{"a":"e\u0301","é":"é"}',
  'text from right to left': '{"a":"\u202eabc\u202c\u200f"}',
  HTML: '{"a":"<script>alert(1)</script>&amp;"}',
  'SQL and shell': '{"a":"\'; drop table x; --","b":"$(id) `id` %s %00"}',
  'line ends': '{"a":"x\\r\\nX-Injected: 1\\r\\n\\r\\n","b":"\\n"}',
  'JSON in JSON': '{"a":"{\\"b\\":\\"\\\\u0000\\"}"}',
  'numbers of 17 digits': '{"a":0.30000000000000004,"b":1.7976931348623157e+308,"c":5e-324,"d":123456789.12345679}',
  'the largest safe integers': '{"a":9007199254740991,"b":-9007199254740991}',
  'exponents as they are written': '{"a":1e+21,"b":1.5e-7,"c":100000000000000000000}',
  'texts that look like numbers': '{"a":"1e400","b":"007","c":"NaN","d":"9007199254740993"}',
  'a text of 200,000 characters': `{"a":"${'x'.repeat(200_000)}"}`,
  'a list of 50,000 numbers': `{"a":[${Array.from({ length: 50_000 }, () => 7).join(',')}]}`,
  '64 levels': nested(64),
  '64 levels of lists': nestedLists(64),
  [`${PAYLOAD_BYTES_MAX} bytes`]: ofBytes(PAYLOAD_BYTES_MAX),
};

/** Values with several spellings in JSON, or beyond JavaScript's numbers: the text of `JSON.stringify` is sent. */
const changed: Record<string, [text: string, becomes: string]> = {
  'spaces and line ends between values': [' {\r\n\t"a" : [ 1 , 2 ]\n} ', '{"a":[1,2]}'],
  'escaped slashes': ['{"a":"https:\\/\\/b"}', '{"a":"https://b"}'],
  'escaped letters': ['{"\\u0061":"\\u00e4\\ud83d\\ude00\\u2028"}', '{"a":"ä😀\u2028"}'],
  'escapes in capitals': ['{"a":"\\uD800\\u001F"}', '{"a":"\\ud800\\u001f"}'],
  'escapes of controls with short forms': ['{"a":"\\u0008\\u000a"}', '{"a":"\\b\\n"}'],
  'keys twice: the last one counts, in the place of the first': ['{"a":1,"b":2,"a":3}', '{"a":3,"b":2}'],
  '__proto__ twice': ['{"__proto__":1,"__proto__":{"a":1}}', '{"__proto__":{"a":1}}'],
  'keys like numbers: they come first, in order': ['{"b":1,"10":2,"9":3,"01":4}', '{"9":3,"10":2,"b":1,"01":4}'],
  'numbers with zeros': ['{"a":1.0,"b":1.50,"c":0.0}', '{"a":1,"b":1.5,"c":0}'],
  'minus zero': ['{"a":-0,"b":-0.0,"c":-0e5}', '{"a":0,"b":0,"c":0}'],
  exponents: ['{"a":1E3,"b":1e-3,"c":1e21,"d":12e0}', '{"a":1000,"b":0.001,"c":1e+21,"d":12}'],
  'integers above 2⁵³: the nearest one': [
    '{"a":9007199254740993,"b":12345678901234567890}',
    '{"a":9007199254740992,"b":12345678901234567000}',
  ],
  'decimals of 30 digits: the nearest one': ['{"a":0.100000000000000000000000000001}', '{"a":0.1}'],
  'numbers too small: zero': ['{"a":1e-400}', '{"a":0}'],
};

export const acceptedPayloads: readonly PayloadText[] = [
  ...Object.entries(unchanged).map(([what, text]) => ({ what, text })),
  ...Object.entries(changed).map(([what, [text, becomes]]) => ({ what, text, becomes })),
];

interface RefusedPayload {
  what: string;
  text: string;
  status: number;
  code: string;
  /** Where it is wrong, and the rule that it breaks. */
  path?: (string | number)[];
  rule?: string;
}

const tooLarge = (what: string, text: string, ...path: (string | number)[]): RefusedPayload => ({
  what,
  text,
  status: 200,
  code: 'BAD_USER_INPUT',
  path,
  rule: 'number_too_large',
});
const noObject = (text: string): RefusedPayload => ({
  what: `${text} in the place of an object`,
  text,
  status: 400,
  code: 'BAD_USER_INPUT',
  path: [],
  rule: 'invalid_type',
});
const noJson = (what: string, text: string): RefusedPayload => ({ what, text, status: 400, code: 'BAD_USER_INPUT' });
const overLong = { status: 413, code: 'PAYLOAD_TOO_LARGE', path: [], rule: 'payload_too_large' };
const tooDeep = { status: 200, code: 'BAD_USER_INPUT', path: [], rule: 'too_deep' };

export const refusedPayloads: readonly RefusedPayload[] = [
  tooLarge('1e400', '{"a":1e400}', 'a'),
  tooLarge('-1e400', '{"a":-1e400}', 'a'),
  tooLarge('a number of 400 digits', `{"a":${'9'.repeat(400)}}`, 'a'),
  tooLarge('1e400 among others', '{"a":null,"b":[{"c":[1,1e400]}]}', 'b', 0, 'c', 1),
  tooLarge('1e400 under __proto__', '{"__proto__":{"a":1e400}}', '__proto__', 'a'),
  { what: '65 levels', text: nested(65), ...tooDeep },
  { what: '65 levels of lists', text: nestedLists(65), ...tooDeep },
  { what: '100,000 levels', text: nested(100_000), ...tooDeep },
  { what: '1,000,000 levels of lists', text: nestedLists(1_000_000), ...tooDeep },
  { what: `${PAYLOAD_BYTES_MAX + 1} bytes`, text: ofBytes(PAYLOAD_BYTES_MAX + 1), ...overLong },
  { what: 'a text of too many escapes', text: `{"a":"${'\\u0000'.repeat(PAYLOAD_BYTES_MAX / 6)}"}`, ...overLong },
  ...['[]', '"text"', '1', 'true'].map(noObject),
  noJson('a comma too many', '{"a":1,}'),
  noJson('single quotes', "{'a':1}"),
  noJson('a key without quotes', '{a:1}'),
  noJson('NaN', '{"a":NaN}'),
  noJson('Infinity', '{"a":Infinity}'),
  noJson('a number with a zero in front', '{"a":01}'),
  noJson('a number with a plus', '{"a":+1}'),
  noJson('a number that begins with a dot', '{"a":.5}'),
  noJson('a hexadecimal number', '{"a":0x10}'),
  noJson('a comment', '{"a":1/* b */}'),
  noJson('a line end in a text', '{"a":"x\ny"}'),
  noJson('NUL in a text', '{"a":"x\0y"}'),
  noJson('an unknown escape', '{"a":"\\x41"}'),
  noJson('half an escape', '{"a":"\\u12"}'),
  noJson('a brace too few', '{"a":1'),
];
