import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { GROUNDS, inkOn, judgeLook, PLAIN_LOOK } from '../../src/domain/portal/portal-look.js';

const judge = (look: Record<string, unknown>, isThemeFixed = false) =>
  judgeLook({ ...PLAIN_LOOK, ...look }, isThemeFixed).map(({ field, detail }) => `${field} ${detail}`);

const accents = { accent: '#5b21b6', accentDark: '#c4b5fd' };

describe('the look of a portal', () => {
  test.each([
    {},
    accents,
    { font: 'SERIF', radius: 0, header: false },
    { radius: 16 },
    { accent: '#000000', accentDark: '#FFFFFF' },
  ])('may be %j', (look) => {
    expect(judge(look)).toEqual([]);
  });

  const wrong: [Record<string, unknown>, RegExp][] = [
    [{ accent: '#f59e0b', accentDark: '#c4b5fd' }, /^accent has a contrast of 1\.9\d : 1 in the light theme.*darker/],
    [
      { accent: '#5b21b6', accentDark: '#5b21b6' },
      /^accentDark has a contrast of 1\.\d\d : 1 in the dark theme.*lighter/,
    ],
    [{ accent: '#5b21b6' }, /^accentDark is needed beside accent/],
    [{ accentDark: '#c4b5fd' }, /^accent is needed/],
    ...['#fff', 'red', '#5b21b6;}', 'url(x)', '#5b21b6\n', 'var(--x)', 5, {}, ['#5b21b6']].map(
      (accent): [Record<string, unknown>, RegExp] => [
        { ...accents, accent },
        /^accent must be a colour such as #5b21b6/,
      ],
    ),
    ...['Comic Sans', 'inter', 'constructor', 3].map((font): [Record<string, unknown>, RegExp] => [
      { font },
      /^font must be one of INTER, SYS/,
    ]),
    ...[-1, 17, 1.5, Number.NaN, '8px', Number.POSITIVE_INFINITY].map((radius): [Record<string, unknown>, RegExp] => [
      { radius },
      /^radius must be a whole number from 0 to 16/,
    ]),
    [{ header: 'off' }, /^header must be true or false/],
    [{ transparent: 'yes' }, /^transparent must be true or false/],
    [{ transparent: true }, /^transparent needs a fixed theme, LIGHT or DARK/],
  ];
  test.each(wrong)('cannot be %j', (look, why) => {
    expect(judge(look)).toEqual([expect.stringMatching(why)]);
  });

  test('has the ground of its page where the theme is fixed', () => {
    expect(judge({ transparent: true }, true)).toEqual([]);
  });

  test('is refused just below a contrast of 4.5 : 1, and taken just above', () => {
    expect(judge({ ...accents, accent: '#6f6f6f' })).toEqual([]);
    expect(judge({ ...accents, accent: '#707070' })).toEqual([expect.stringContaining('4.4')]);
  });

  test('has black or white text on its accents, whichever can be read', () => {
    expect([inkOn('#5b21b6'), inkOn('#c4b5fd'), inkOn('#777777')]).toEqual(['#ffffff', '#000000', '#000000']);
  });

  test('is judged by the grounds of the style sheet', () => {
    const [light = '', dark = ''] = readFileSync('dashboard/styles.css', 'utf8').split('[data-theme="dark"] {');
    const luminances = (theme: string) =>
      ['page', 'surface', 'raised', 'sunken'].map((name) =>
        luminanceOf(new RegExp(`--${name}: (.+);`).exec(theme)![1]!),
      );
    expect(Math.min(...luminances(light))).toBeCloseTo(GROUNDS.light, 3);
    expect(Math.max(...luminances(dark))).toBeCloseTo(GROUNDS.dark, 3);
  });
});

/** The relative luminance of `#fff` or `oklch(…)` (https://bottosson.github.io/posts/oklab). */
function luminanceOf(colour: string): number {
  if (colour === '#fff') {
    return 1;
  }
  const [percent = 0, chroma = 0, hue = 0] = colour.match(/[\d.]+/g)!.map(Number);
  const [a, b] = [chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)];
  const l = (percent / 100 + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (percent / 100 - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (percent / 100 - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const red = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
  const green = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
  const blue = -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
