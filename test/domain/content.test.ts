import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Content, type ContentRules, contentOf } from '../../src/domain/content/content.js';
import { cut } from '../../src/domain/content/cut.js';
import { CONTENT_FORMATS, type ContentFormat } from '../../src/domain/content/formats.js';
import { templateProblems, textProblems } from '../../src/domain/content/template.js';
import { textOf as valueText } from '../../src/domain/content/values.js';
import { fc } from '../support/properties.js';
import { within } from '../support/within.js';

const rules: ContentRules = { cloudEventsSource: undefined, publicUrl: undefined, payloadBytesMax: 262_144 };
const event = {
  id: 140_123_456_789_012,
  tenantId: 7,
  type: 'booking.created',
  body: '{"code":"A_1","total":10.50,"id":9007199254740993,"guest":{"name":"<!channel> *Ada*"},"lines":[{"sku":"x"},{"sku":"y"}],"none":null}',
};
const FORMATS = Object.keys(CONTENT_FORMATS) as ContentFormat[];
const CHATS = ['SLACK', 'TEAMS', 'TEAMS_CARD', 'DISCORD', 'GOOGLE_CHAT'] as const;

const plain: Content = { release: null, format: 'JSON', shape: null, text: null, template: null };
const sent = (content: Partial<Content>, change: Partial<typeof event> = {}, more: Partial<ContentRules> = {}) =>
  contentOf({ ...event, ...change }, { ...plain, ...content }, { ...rules, ...more });
const bodyOf = (content: Partial<Content>, payload: unknown) =>
  JSON.parse(sent(content, { body: typeof payload === 'string' ? payload : JSON.stringify(payload) })!.body);

/** What people read in a message. */
function textOf(chat: (typeof CHATS)[number], text: string | null, payload: unknown, type = event.type): string {
  const content = { ...plain, format: chat, text };
  const body = JSON.parse(contentOf({ ...event, type, body: JSON.stringify(payload) }, content, rules)!.body);
  const card = body.attachments?.[0].content ?? body;
  return body.text ?? body.content ?? card.body.map((block: { text: string }) => block.text).join('\n');
}

test('the bytes of every format are these, because retries and the history repeat them', async () => {
  const contents: Record<ContentFormat, Partial<Content>> = {
    ...(Object.fromEntries(FORMATS.map((format) => [format, {}])) as Record<ContentFormat, Partial<Content>>),
    TEMPLATE: { template: { ref: '{{code}}', total: '{{total}}', title: 'Booking {{id}}', skus: '{{lines.sku}}' } },
  };
  const written = FORMATS.map((format) => ({ format, ...sent({ ...contents[format], format }) }));
  await expect(`${JSON.stringify(written, null, 2)}\n`).toMatchFileSnapshot('../fixtures/contents.json');
});

describe('CloudEvents', () => {
  test('name the installation, and where its schema is, by its settings', () => {
    const publicUrl = 'https://example.com/hooks';
    expect(sent({ format: 'CLOUDEVENTS_BINARY' }, {}, { publicUrl })!.headers).toMatchObject({
      'ce-source': 'https://example.com/hooks/tenants/7',
      'ce-dataschema':
        'https://example.com/hooks/api/v1/openapi.json#/webhooks/booking.created/post/requestBody/content/application~1json/schema',
    });
    const { body } = sent({ format: 'CLOUDEVENTS_STRUCTURED' }, {}, { cloudEventsSource: '/events', publicUrl })!;
    expect(JSON.parse(body).source).toBe('/events');
  });

  test('have the text of the payload in their envelope, so numbers stay exact', () => {
    expect(sent({ format: 'CLOUDEVENTS_STRUCTURED' })!.body).toContain(`,"data":${event.body}}`);
  });

  test('may be as large as a payload, beside their envelope', () => {
    const body = JSON.stringify({ text: 'x'.repeat(262_000) });
    expect(sent({ format: 'CLOUDEVENTS_STRUCTURED' }, { body })!.body).toContain(body);
  });
});

describe('a template', () => {
  const fill = (template: unknown, payload: unknown = JSON.parse(event.body)) =>
    bodyOf({ format: 'TEMPLATE', template }, payload);

  test('keeps the type of a value that is all of a text', () => {
    expect(
      fill(['{{guest}}', ' {{guest.name}}', '{{none}}', '{{missing}}', '{{lines.1.sku}}', '{{lines.sku}}']),
    ).toEqual([{ name: '<!channel> *Ada*' }, ' <!channel> *Ada*', null, null, 'y', ['x', 'y']]);
  });

  test('writes numbers as the payload does', () => {
    expect(sent({ format: 'TEMPLATE', template: ['{{id}}', 'no {{id}}', '{{total}}'] })!.body).toBe(
      '[9007199254740993,"no 9007199254740993",10.50]',
    );
  });

  test('knows the event, odd names, and braces', () => {
    const payload = { 'a.b': 1, '@type': 'field', größe: 2, list: [1, null, 'b'] };
    expect(fill(['{{@type}}', '{{@id}}', '{{ @time }}', '{{"a.b"}}', '{{"@type"}}', '{{größe}}'], payload)).toEqual([
      'booking.created',
      '140123456789012',
      '2026-01-31T22:43:48.317Z',
      1,
      'field',
      2,
    ]);
    expect(fill({ all: '{{@payload}}', text: '\\{{x}} {{list}}' }, payload)).toEqual({
      all: payload,
      text: '{{x}} 1, , b',
    });
  });

  test('cannot be left by a payload, whatever it has', () => {
    const text = fc.string({
      unit: fc.constantFrom('"', '\\', '}', '{{a}}', '\0', '\n', '\u2028', '\ud800', '😀', ',', ' '),
    });
    fc.assert(
      fc.property(text, fc.jsonValue({ maxDepth: 2 }), (text, value) => {
        const body = JSON.stringify({ text, value });
        const written = JSON.parse(body);
        expect(bodyOf({ format: 'TEMPLATE', template: { a: 'x{{text}}y', b: '{{value}}' } }, body)).toEqual({
          a: `x${written.text}y`,
          b: written.value,
        });
      }),
    );
  });

  test('fails when it makes more of an event than a payload may have', () => {
    const template = Array.from({ length: 3_000 }, () => '{{text}}');
    expect(sent({ format: 'TEMPLATE', template }, { body: JSON.stringify({ text: 'x'.repeat(100) }) })).toBeNull();
    expect(sent({ format: 'TEMPLATE', template: ['{{a}}'] }, { body: '{"a":"é"}' }, { payloadBytesMax: 5 })).toBeNull();
    expect(
      sent({ format: 'TEMPLATE', template: ['{{a}}'] }, { body: '{"a":"é"}' }, { payloadBytesMax: 6 }),
    ).not.toBeNull();
  });

  test('reads each placeholder as if it were alone, however many there are', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', '0', '1', '07', 'rawJSON');
    const value = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'medium' },
        fc.constantFrom(null, true, 1, 1.5, '', 'x'),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(name, tie('value'), { maxKeys: 5 }),
      ),
    })).value;
    const paths = fc.array(fc.array(name, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(fc.dictionary(name, value), paths, (payload, paths) => {
        const values = paths.map((names) => valueAt(payload, names));
        const template = paths.map((names) => `{{${names.join('.')}}}`);
        expect(fill(template, payload)).toEqual(values.map((one) => one ?? null));
        expect(fill([`x${template.join('|')}`], payload)).toEqual([`x${values.map(writtenAs).join('|')}`]);
      }),
    );
  });

  /** What docs/content.md says about the value at a path. */
  function valueAt(value: unknown, [name, ...others]: readonly string[]): unknown {
    if (name === undefined) {
      return value;
    }
    if (!Array.isArray(value)) {
      const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
      return isObject ? valueAt((value as Record<string, unknown>)[name], others) : undefined;
    }
    if (/^\d+$/.test(name)) {
      return valueAt(value[Number(name)], others);
    }
    const found = value.map((one) => valueAt(one, [name, ...others])).filter((one) => one !== undefined);
    return found.length === 0 ? undefined : found.flat();
  }

  function writtenAs(value: unknown): string {
    if (Array.isArray(value) && value.every((one) => typeof one !== 'object' || one === null)) {
      return value.map(writtenAs).join(', ');
    }
    return value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  }

  test('looks at a list once for all names below it, so a thousand placeholders take a moment', () => {
    const template = Array.from({ length: 1_000 }, (_, index) => `{{l.x${index}}}`);
    const payload = { l: Array.from({ length: 1_000 }, (_, index) => ({ x7: index })) };
    const filled = within(50, () => fill(template, payload));
    expect(filled).toHaveLength(1_000);
    expect(filled[7]).toEqual(payload.l.map(({ x7 }) => x7));
    const deep = JSON.parse(`${'['.repeat(490)}${JSON.stringify(payload.l)}${']'.repeat(490)}`);
    expect(within(50, () => fill(['{{l.x7}}'], { l: deep }))).toEqual([filled[7]]);
  });

  test('and a text of a chat, look at 20,000 elements of lists beyond what their payload has room for', () => {
    const payload = (elements: number) => `{"l":${'['.repeat(9)}${'{},'.repeat(elements - 1)}{}${']'.repeat(9)}}`;
    const paths = Array.from({ length: 9 }, (_, level) => `l${'.0'.repeat(level)}.name_${level}`);
    // The innermost list is looked at from each of the nine levels; each element has room for one and a half.
    const most = (20_000 + payload(1).length / 2) / (9 - 3 / 2);
    const [fits, exceeds] = [payload(Math.floor(most) - 10), payload(Math.ceil(most) + 10)];
    const texts = paths.map((path) => `{{${path}}}`);
    expect(sent({ format: 'TEMPLATE', template: texts }, { body: fits })).not.toBeNull();
    expect(sent({ format: 'TEMPLATE', template: texts }, { body: exceeds })).toBeNull();
    expect(sent({ format: 'SLACK', text: `a${texts.join('')}` }, { body: fits })!.body).toBe('{"text":"a"}');
    expect(sent({ format: 'SLACK', text: `a${texts.join('')}` }, { body: exceeds })!.body).toMatch(
      /^\{"text":"\*Booking created\*/,
    );
  });

  test('of the largest payload is made, whatever lists it looks at', () => {
    const lines = Array.from({ length: 26_000 }, (_, index) => ({ n: index % 10 }));
    expect(fill({ all: '{{lines.n}}' }, { lines })).toEqual({ all: lines.map(({ n }) => n) });
    const rows = Array.from({ length: 80_000 }, () => ({}));
    expect(fill(['{{rows.a}}', '{{rows.b}}', '{{rows.c}}'], { rows })).toEqual([null, null, null]);
  });

  test.each([
    ['text', 'template_no_tree', []],
    [['{{a b}}'], 'template_path_malformed', [0]],
    [{ a: { b: 'x {{' } }, 'template_path_malformed', ['a', 'b']],
    [{ a: '{{a.}}' }, 'template_path_malformed', ['a']],
    [{ a: '\0' }, 'template_malformed', ['a']],
    [{ '\ud800': 1 }, 'template_malformed', []],
    [['x'.repeat(16_384)], 'template_too_large', []],
    [JSON.parse('['.repeat(40) + ']'.repeat(40)), 'template_too_deep', []],
  ])('%j is refused as %s', (template, code, path) => {
    expect(templateProblems(template)).toMatchObject([{ code, path }]);
  });

  test('is refused soon, however many braces a long text opens', () => {
    expect(within(200, () => templateProblems(['{{\\"'.repeat(50_000)]))).toMatchObject([
      { code: 'template_path_malformed' },
    ]);
  });

  test('has placeholders between single braces, but not between two', () => {
    expect(fill(['{{{a}}}', '{ {{a}} }'], { a: 1 })).toEqual(['{1}', '{ 1 }']);
    for (const text of ['{{{{a}}}}', '{{{', '{{{}}}', '{{a}', 'x {{ {{a}}']) {
      expect(templateProblems([text]), text).toMatchObject([{ code: 'template_path_malformed' }]);
    }
  });

  test('is refused with all of its problems, but not with thousands', () => {
    expect(templateProblems({ a: '{{', b: ['{{}}'] }).map(({ path }) => path)).toEqual([['a'], ['b', 0]]);
    expect(templateProblems(Array.from({ length: 5_000 }, () => '{{'))).toHaveLength(20);
  });
});

describe('a message to a chat', () => {
  /** The types of what a message has. */
  const form = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.slice(0, 1).map(form)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, form(one)]))
        : value === null
          ? null
          : typeof value;

  test.each(CHATS)('has the form that %s documents', (format) => {
    const file = new URL(`../fixtures/chats/${format.toLowerCase().replace('_', '-')}.json`, import.meta.url);
    expect(form(bodyOf({ format }, event.body))).toEqual(form(JSON.parse(readFileSync(file, 'utf8'))));
  });

  test('has the type and the first five fields that have a value, if nobody wrote another', () => {
    const payload = { a: null, b: '', c: { d: 1, e: { f: true } }, g: [1, 'x'], h: 'two\nlines', i: 5, j: 6 };
    expect(textOf('SLACK', null, payload)).toBe('*Booking created*\nc.d: 1\nc.e.f: true\ng: 1, x\nh: two lines\ni: 5');
    expect(textOf('SLACK', null, [])).toBe('*Booking created*');
    expect(textOf('DISCORD', '{{missing}}', { a: 1 })).toBe('**Booking created**\na: 1');
  });

  test('has the text of its owner with its markup, and values without', () => {
    const payload = JSON.parse(event.body);
    const text = '*Booking* {{code}}\n> for {{guest.name}}';
    expect(textOf('SLACK', text, payload)).toBe('*Booking* A_1\n> for &lt;!channel&gt; \u200b*\u200bAda\u200b*\u200b');
    expect(textOf('DISCORD', text, payload)).toBe('*Booking* A\\_1\n> for \\<!channel\\> \\*Ada\\*');
    expect(textOf('TEAMS', text, payload)).toBe('*Booking* A\\_1\n> for <\u200b!channel> \\*Ada\\*');
    expect(textOf('GOOGLE_CHAT', text, payload)).toBe(
      '*Booking* A_1\n> for <\u200b!channel> \u200b*\u200bAda\u200b*\u200b',
    );
  });

  test('mentions nobody where a text has a link of Slack around a value', () => {
    for (const [value, frame] of [
      ['!channel', '<{{a}}|Open>'],
      ['!here', '<{{a}}>'],
      ['!subteam^S024BE7LH', '<{{none}}{{a}}>'],
      ['#C024BE7LR', '<{{a}}>'],
      ['@U024BE7LH', '<{{a}}|Open>'],
      [' !everyone', '<{{a}}>'],
    ] as const) {
      expect(textOf('SLACK', frame, { a: value })).toMatch(/^<\u200b[!#@]/);
    }
    expect(textOf('SLACK', '<{{a}}|Open>', { a: 'https://example.com/a' })).toBe('<https://example.com/a|Open>');
  });

  test.each([
    ['{{a}}', '<users/all>', '<\u200busers/all>'],
    ['<{{a}}>', 'users/all', '<\u200busers/all>'],
    ['<{{none}}{{a}}>', ' users/123', '<\u200busers/123>'],
    ['<users/{{a}}>', 'all', '<users/\u200ball>'],
    ['<users/{{a}}>', '123', '<users/123>'],
    ['{{a}}', 'for all users', 'for all users'],
    ['{{a}}', '-5', '-5'],
    ['{{a}}', '<https://evil.example.com|Bank>', '<\u200bhttps://evil.example.com|Bank>'],
    ['<{{a}}|Open>', 'https://example.com/a?b=c&d', '<https://example.com/a?b=c&d|Open>'],
    ['<{{a}}|Open>', 'https://example.com/|Evil>x', '<https://example.com/%7CEvil%3Ex|Open>'],
    ['<{{a}}{{b}}>', 'us', '<\u200bus\u200bers/all>', 'ers/all'],
    ['<{{a}}/{{b}}>', 'users', '<\u200busers/123>', '123'],
    ['<https://x.test/{{a}}|Open>', 'all', '<https://x.test/all|Open>'],
  ])('mentions nobody in Google Chat, and makes no other link: %s with %s', (text, a, made, b = '') => {
    expect(textOf('GOOGLE_CHAT', text, { a, b })).toBe(made);
  });

  test('has values in the address of a link that neither end it nor give it a label', () => {
    const a = 'https://e.com/a_b_|Pay|<x>?u=@ada&v=(1) *`2`\\[3]{{4}}';
    expect(textOf('SLACK', '<{{a}}|Open> {{b}}', { a, b: '|_x_' })).toBe(
      '<https://e.com/a_b_%7CPay%7C%3Cx%3E?u=@ada&amp;v=(1)%20*%602%60\\[3]{{4}}|Open> |\u200b_\u200bx\u200b_\u200b',
    );
    expect(textOf('SLACK', '<https://e.com/{{a}}/{{b}}>', { a: '_1_', b: 'x|y' })).toBe('<https://e.com/_1_/x%7Cy>');
    expect(textOf('SLACK', '<https://e.com|{{a}}> {{b}}', { a: 'a>b', b: '_x_' })).toBe(
      '<https://e.com|a&gt;b> \u200b_\u200bx\u200b_\u200b',
    );
    for (const chat of ['DISCORD', 'TEAMS', 'TEAMS_CARD'] as const) {
      expect(textOf(chat, '[Open]({{a}}) {{b}}', { a, b: '_x_' })).toBe(
        '[Open](https://e.com/a_b_%7CPay%7C%3Cx%3E?u=@ada&v=%281%29%20*%602%60%5C%5B3%5D%7B%7B4%7D%7D) \\_x\\_',
      );
      expect(textOf(chat, '[{{a}}](<https://e.com/{{b}}>)', { a: ']', b: 'x>)y' })).toBe(
        '[\\]](<https://e.com/x%3E%29y>)',
      );
    }
    // A value begins no link for the next one.
    expect(textOf('DISCORD', '{{a}}{{b}}', { a: '](', b: '_' })).toBe('\\](\\_');
  });

  test('has no headings, lists and quotes that a value begins', () => {
    const lines = (sign: string) => CHATS.map((chat) => textOf(chat, '{{a}} {{b}}', { a: sign, b: 'x' }));
    expect(lines('#').slice(1, 4)).toEqual(['# x', '# x', '\\# x']);
    expect(lines('-').slice(1)).toEqual(['\\- x', '\\- x', '\\- x', '\u200b- x']);
    expect(lines('*').at(-1)).toBe('\u200b*\u200b x');
    expect(lines('>').at(-1)).toBe('\u200b> x');
    expect(lines('1.').slice(1, 4)).toEqual(['1\\. x', '1\\. x', '1\\. x']);
    expect(lines('>')[0]).toBe('\u200b&gt; x');
  });

  test('leaves urls and addresses as they are', () => {
    const url = 'https://example.com/a_b/_c_?d=e';
    for (const chat of CHATS) {
      expect(textOf(chat, '{{url}} {{mail}}', { url, mail: 'ada.l@example.com' })).toBe(`${url} ada.l@example.com`);
    }
  });

  test('cannot mention anybody, nor look like other lines, whatever a payload has', () => {
    const signs = fc.constantFrom(
      ...['@', '@everyone', '@here', '<!channel>', '<@U024BE7LH>', '<@123>', '<@&1>', '<#1>', '<at>Ada</at>', '<', '>'],
      ...['<users/all>', '<users/1|x>'],
      ...[
        '&lt;!here&gt;',
        '[x](https://example.com)',
        '<https://example.com|x>',
        '\n',
        '\r\n',
        '\u2028',
        '\u202e',
        '\\',
      ],
      ...['*', '_', '`', '~', '|', '# ', '- ', '1. ', '{{DATE(2026-01-31T00:00:00Z)}}', 'every', 'one', ' ', 'a'],
    );
    const value = fc.array(signs, { maxLength: 8 });
    fc.assert(
      fc.property(fc.constantFrom(...CHATS), value, value, (chat, first, second) => {
        const text = textOf(chat, '[{{a}}{{b}}]', { a: first.join(''), b: second.join('') });
        expect(text).not.toMatch(/(?<!\\)<[!@#a/h]/);
        expect(text).not.toMatch(/(?<![\p{L}\p{N}])@[\p{L}\p{N}]/u);
        expect(text.split(/[\n\r\u2028\u2029]/)).toHaveLength(1);
        expect(text).not.toContain('\u202e');
        expect(chat.startsWith('TEAMS') && text.includes('{{')).toBe(false);
        if (chat === 'GOOGLE_CHAT') {
          expect(text).not.toMatch(/<(?!\u200b)/);
        }
        if (chat === 'SLACK' || chat === 'GOOGLE_CHAT') {
          // Each sign that could format has nothing visible on both sides.
          const rest = text.slice(1, -1).replaceAll(/https?:\/\/\S+/g, '');
          expect(rest).not.toMatch(/(?<![\p{L}\p{N}\u200b])[*_~`]|[*_~`](?![\p{L}\p{N}\u200b])/u);
        } else {
          // Each sign of Markdown that is not within a url has a backslash, which has none itself.
          expect(
            text
              .slice(1, -1)
              .replaceAll(/https?:\/\/\S+/g, '')
              .replaceAll(/\\./gu, ''),
          ).not.toMatch(/[*_[\]\\]/);
        }
      }),
    );
  });

  test('about a payload of 256 KiB has the beginnings of its values, as they would be in full', () => {
    const lines = Array.from({ length: 9_000 }, (_, index) => ({ sku: `S-${index}`, qty: 1 }));
    expect(textOf('SLACK', '{{lines.0.sku}}: {{lines.sku}}', { lines })).toMatch(/^S-0: S-0, S-1, .*S-1\d\d.*…$/);
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 40 }), (value, charsMax) => {
        expect(cut(valueText(value, charsMax), charsMax)).toBe(cut(valueText(value), charsMax));
      }),
    );
  });

  test('is cut to what its chat takes, and not within a character', () => {
    const payload = { a: '😀'.repeat(3_000), amp: '&'.repeat(3_000) };
    const text = '{{a}}'.repeat(10);
    expect(textOf('DISCORD', text, payload)).toMatch(/^(?:😀|…)+…$/u);
    expect(textOf('DISCORD', text, payload).length).toBeLessThanOrEqual(2_000);
    expect(textOf('SLACK', 'x{{amp}}', payload)).toMatch(/^x(?:&amp;)+…$/);
    expect(textOf('SLACK', 'x{{amp}}', payload).length).toBeLessThanOrEqual(4_000);
    expect(textOf('GOOGLE_CHAT', text, payload).length).toBeLessThanOrEqual(4_000);
    expect(Buffer.byteLength(textOf('GOOGLE_CHAT', text, { a: '\u3042<'.repeat(3_000) }))).toBeLessThan(32_000);
  });

  test.each([
    [
      'webhook.disabled',
      {
        reason: 'FAILURES',
        consecutive_failures: '10',
        disabled_at: '2026-01-31T09:30:00+00:00',
        held_until: '2026-02-07T09:30:00+00:00',
      },
      '*Booking system was disabled*\nThe endpoint was disabled on 2026-01-31 09:30 UTC, because 10 requests in a row have failed. Its deliveries are held until 2026-02-07 09:30 UTC. Enable it once it works again, and they are sent.\nEndpoint 42, https://example.com',
    ],
    [
      'delivery.exhausted',
      { event_type: 'booking.created', attempts: '6', last_error: 'HTTP_503', count: '3' },
      '*Deliveries to Booking system have failed*\nDeliveries that have failed for good: 3. The last one was of type booking.created, and failed at attempt 6 with HTTP_503.\nEndpoint 42, https://example.com',
    ],
    [
      'webhook.key_blocked',
      {
        key: 'order-7',
        delivery_id: '140',
        event_type: 'booking.created',
        last_error: 'HTTP_503',
        waiting: '3',
        blocked_at: '2026-01-31T09:30:00+00:00',
        count: '1',
      },
      '*Booking system has a blocked key*\nOrdering keys that were blocked: 1. The last one has been blocked since 2026-01-31 09:30 UTC, because delivery 140 of type booking.created has failed for good with HTTP_503. Deliveries that wait behind it: 3. Unblock the key, and they are sent.\nEndpoint 42, https://example.com',
    ],
    [
      'webhook.certificate_ending',
      { certificate: 'CLIENT', ends_at: '2026-01-31T09:30:00+00:00', count: '1' },
      '*A certificate of Booking system ends soon*\nThe client certificate that requests show to the receiver ends on 2026-01-31 09:30 UTC. Replace it before then: afterwards the receiver may refuse them.\nEndpoint 42, https://example.com',
    ],
    [
      'webhook.certificate_ending',
      { certificate: 'CA', ends_at: '2026-01-31T09:30:00+00:00', count: '1' },
      '*A certificate of Booking system ends soon*\nThe certificates of the authorities that the receiver is verified by end on 2026-01-31 09:30 UTC. Replace them before then: afterwards requests fail.\nEndpoint 42, https://example.com',
    ],
  ])('about %s reads as the mail does', (type, facts, text) => {
    const about = { webhook_id: '42', origin: 'https://example.com', name: 'Booking system' };
    expect(textOf('SLACK', null, { ...about, ...facts }, type)).toBe(text);
  });

  test('about an endpoint whose shape leaves the facts out names the fields that it has', () => {
    const shape = { types: {}, otherwise: [{ key: 'id', event: 'id' }] } as const;
    const body = JSON.stringify({ webhook_id: '42', origin: 'https://example.com' });
    expect(sent({ format: 'SLACK', shape }, { type: 'webhook.disabled', body })!.body).toBe(
      JSON.stringify({ text: `*Webhook disabled*\nid: ${event.id}` }),
    );
  });

  test('about an endpoint without a name has its origin', () => {
    const facts = { webhook_id: '42', origin: 'https://example.com', name: '', recovered_at: '', disabled_at: '' };
    expect(textOf('DISCORD', null, facts, 'webhook.recovered')).toMatch(/^\*\*https:\/\/example.com works again\*\*\n/);
  });

  test.each([
    ['{{', 'content_text_path_malformed'],
    ['a {{b c}}', 'content_text_path_malformed'],
    ['{{@code}}', 'content_text_path_malformed'],
    ['\0', 'content_text_malformed'],
  ])('%j is refused as %s', (text, code) => {
    expect(textProblems(text, 'content_text')).toMatchObject([{ code }]);
  });
});
