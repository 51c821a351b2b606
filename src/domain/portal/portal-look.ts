/** Font stacks of the portal: fonts that machines have. The pages load none but their own. */
export const PORTAL_FONTS = ['INTER', 'SYSTEM', 'GROTESQUE', 'HUMANIST', 'GEOMETRIC', 'SERIF'] as const;

/** How a portal looks. Values of strangers, so each is judged, and only judged ones reach a style sheet. */
export interface PortalLook {
  /** `#rrggbb`, for links, buttons and marks in the light theme. Null: the portal's own. */
  accent: string | null;
  /** The same in the dark theme. */
  accentDark: string | null;
  font: (typeof PORTAL_FONTS)[number] | null;
  /** The radius of cards, in CSS pixels. Smaller parts have a part of it. */
  radius: number | null;
  /** The ground is that of the page around the portal. */
  transparent: boolean;
  /** Whether the tenant's name stands above the screens. */
  header: boolean;
}

export const PLAIN_LOOK: PortalLook = {
  accent: null,
  accentDark: null,
  font: null,
  radius: null,
  transparent: false,
  header: true,
};

interface LookIssue {
  field: keyof PortalLook;
  detail: string;
}

const COLOUR = /^#[0-9a-f]{6}$/i;
export const RADIUS_MAX = 16;
/** WCAG 2.2, 1.4.3. */
const CONTRAST_MIN = 4.5;

/**
 * The relative luminance of the ground that an accent contrasts with least, by theme: `--sunken` and `--raised` of
 * dashboard/styles.css.
 */
export const GROUNDS = { light: 0.893, dark: 0.0138 } as const;

/** Relative luminance, 0 to 1 (WCAG 2.2). @param colour `#rrggbb` */
function luminance(colour: string): number {
  const linear = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * linear[0]! + 0.7152 * linear[1]! + 0.0722 * linear[2]!;
}

const contrast = (one: number, other: number): number => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);

/** Text on a ground of this colour: one of both has at least 4.58 : 1. @param colour `#rrggbb` */
export const inkOn = (colour: string): '#ffffff' | '#000000' =>
  contrast(luminance(colour), 1) >= contrast(luminance(colour), 0) ? '#ffffff' : '#000000';

/**
 * Judges a look, whose values may be anything.
 *
 * @param isThemeFixed whether the theme is LIGHT or DARK, and not as the browser prefers
 * @returns what is wrong; empty: the value is a PortalLook
 */
export function judgeLook(look: Readonly<Record<string, unknown>>, isThemeFixed: boolean): LookIssue[] {
  const issues: (LookIssue | null)[] = [
    judgeAccent(look, 'accent', 'light'),
    judgeAccent(look, 'accentDark', 'dark'),
    wrong(
      'font',
      look['font'] === null || PORTAL_FONTS.includes(look['font'] as never),
      `must be one of ${PORTAL_FONTS.join(', ')}`,
    ),
    wrong(
      'radius',
      look['radius'] === null || isRadius(look['radius']),
      `must be a whole number from 0 to ${RADIUS_MAX}`,
    ),
    wrong('header', typeof look['header'] === 'boolean', 'must be true or false'),
    typeof look['transparent'] === 'boolean'
      ? wrong(
          'transparent',
          !look['transparent'] || isThemeFixed,
          'needs a fixed theme, LIGHT or DARK: the text must fit the ground of your page',
        )
      : wrong('transparent', false, 'must be true or false'),
  ];
  return issues.filter((issue) => issue !== null);
}

const wrong = (field: LookIssue['field'], isRight: boolean, detail: string): LookIssue | null =>
  isRight ? null : { field, detail };

const isRadius = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= RADIUS_MAX;

/** Both themes have an accent of their own: no colour has enough contrast in both. */
function judgeAccent(
  look: Readonly<Record<string, unknown>>,
  field: 'accent' | 'accentDark',
  theme: keyof typeof GROUNDS,
): LookIssue | null {
  const colour = look[field];
  if (colour === null) {
    const other = field === 'accent' ? 'accentDark' : 'accent';
    return wrong(field, look[other] === null, `is needed beside ${other}: each theme has its own`);
  }
  if (typeof colour !== 'string' || !COLOUR.test(colour)) {
    return { field, detail: 'must be a colour such as #5b21b6' };
  }
  const ratio = contrast(luminance(colour), GROUNDS[theme]);
  const shown = (Math.floor(ratio * 100) / 100).toFixed(2);
  const way = theme === 'light' ? 'darker' : 'lighter';
  return wrong(
    field,
    ratio >= CONTRAST_MIN,
    `has a contrast of ${shown} : 1 in the ${theme} theme; at least ${CONTRAST_MIN} : 1 is needed. Choose a ${way} colour`,
  );
}
