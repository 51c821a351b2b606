import { z } from 'zod';
import { isLoopbackAddress } from '../../../domain/addresses/target.js';
import { isLocalhost } from '../../../domain/addresses/url-form.js';
import { URL_LENGTH_MAX } from '../../../domain/fields/webhook-fields.js';
import { KEY_LIFETIME_SECONDS_MIN } from '../../../domain/keys/api-key.js';
import {
  INVITATION_DAYS_MAX,
  INVITED_SECONDS_MAX,
  PORTAL_SESSION_SECONDS_MAX,
  wholeCapabilities,
} from '../../../domain/keys/portal-session.js';
import { judgeLook, PLAIN_LOOK, type PortalLook } from '../../../domain/portal/portal-look.js';
import { isPortalPath, PORTAL_SCREENS } from '../../../domain/portal/portal-paths.js';
import { expiresInSeconds as keySeconds } from '../fields/input.js';
import { PARENT_ORIGINS_MAX, PortalCapability, PortalTheme } from './portal-session-types.js';

const ORIGIN_LENGTH_MAX = 255;
const LOCALE_LENGTH_MAX = 35;

/**
 * Origins become part of the header Content-Security-Policy, where a semicolon or a comma would end the directive and
 * IPv6 addresses are not allowed (W3C CSP3 §2.3.1).
 */
const ORIGIN = /^https?:\/\/[a-z0-9_-]+(\.[a-z0-9_-]+)*(:[0-9]+)?$/;

const isSafe = ({ protocol, hostname }: URL) =>
  protocol === 'https:' ||
  (protocol === 'http:' && (isLocalhost(hostname) || isLoopbackAddress(hostname.replace(/^\[|\]$/g, ''))));

function isOrigin(text: string): boolean {
  const url = text.length <= ORIGIN_LENGTH_MAX && ORIGIN.test(text) ? URL.parse(text) : null;
  return url !== null && url.origin === text && isSafe(url);
}

function isReturnUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && isSafe(url) && url.username === '' && url.password === '';
}

function isLocale(text: string): boolean {
  try {
    return text.length <= LOCALE_LENGTH_MAX && Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

const settings = z.object({
  capabilities: z
    .array(z.enum(PortalCapability))
    .min(1, 'must name at least one capability')
    .transform(wholeCapabilities),
  expiresInSeconds: z.int().min(KEY_LIFETIME_SECONDS_MIN, `must be at least ${KEY_LIFETIME_SECONDS_MIN}`).nullish(),
  parentOrigins: z
    .array(
      z
        .string()
        .refine(
          isOrigin,
          'must be an origin in lower case and without a path, such as https://app.example.com, or http://localhost:3000 on this machine',
        ),
    )
    .max(PARENT_ORIGINS_MAX, `must have at most ${PARENT_ORIGINS_MAX} origins`)
    .nullish()
    .transform((origins) => [...new Set(origins)]),
  locale: z
    .string()
    .refine(isLocale, 'must be a language tag (BCP 47), such as en or de-CH')
    .transform((tag) => Intl.getCanonicalLocales(tag)[0]!)
    .nullish()
    .transform((tag) => tag ?? null),
  theme: z
    .enum(PortalTheme)
    .nullish()
    .transform((theme) => theme ?? ('AUTO' as const)),
  look: z
    .looseObject({}) // judgeLook judges it as a whole
    .nullish()
    .transform((look) => (look == null ? null : (wholeLook(look) as unknown as PortalLook))),
  returnUrl: z
    .string()
    .max(URL_LENGTH_MAX, `must have at most ${URL_LENGTH_MAX} characters`)
    .refine(isReturnUrl, 'must be an https:// url without a user name, or an http:// one on this machine (localhost)')
    .transform((url) => new URL(url).href)
    .refine(
      ({ length }) => length <= URL_LENGTH_MAX,
      `must have at most ${URL_LENGTH_MAX} characters when it is encoded`,
    )
    .nullish()
    .transform((url) => url ?? null),
  path: z
    .string()
    .refine(
      isPortalPath,
      `must be a path of the portal, such as /deliveries?status=FAILED: one of ${PORTAL_SCREENS.join(', ')}`,
    )
    .nullish()
    .transform((path) => path ?? null),
  release: z
    .string()
    .nullish()
    .transform((release) => release ?? null),
  keysExpireInSeconds: keySeconds.nullish().transform((seconds) => seconds ?? null),
  invitationDays: z
    .int()
    .min(1, 'must be at least 1')
    .max(INVITATION_DAYS_MAX, `must be at most ${INVITATION_DAYS_MAX}`)
    .nullish()
    .transform((days) => days ?? null),
});

/** Each value of a look, as it will be stored. */
function wholeLook(wanted: Record<string, unknown>): Record<keyof PortalLook, unknown> {
  const given = Object.entries(wanted).filter(([, value]) => value != null);
  return { ...PLAIN_LOOK, ...Object.fromEntries(given) };
}

export const portalSessionInput = settings.superRefine((input, context) => {
  if (input.look !== null) {
    for (const { field, detail } of judgeLook({ ...input.look }, input.theme !== 'AUTO')) {
      const params = { code: 'not_allowed' };
      context.addIssue({ code: 'custom', path: ['look', field], message: detail, params });
    }
  }
  const isInvitation = input.invitationDays !== null;
  const most = isInvitation ? INVITED_SECONDS_MAX : PORTAL_SESSION_SECONDS_MAX;
  if ((input.expiresInSeconds ?? 0) > most) {
    const message = `must be at most ${most}${isInvitation ? ' with invitationDays' : ''}`;
    context.addIssue({ code: 'custom', path: ['expiresInSeconds'], message, params: { code: 'too_big' } });
  }
  if (isInvitation) {
    for (const { path, isWrong, detail } of notForInvitations(input)) {
      if (isWrong) {
        context.addIssue({ code: 'custom', path: [path], message: detail, params: { code: 'not_allowed' } });
      }
    }
  }
});

/** An invitation may outlive the session that makes it, so it makes nothing itself. It opens in a tab of its own. */
const notForInvitations = ({ capabilities, keysExpireInSeconds, parentOrigins }: z.output<typeof settings>) => [
  {
    path: 'capabilities',
    isWrong: capabilities.includes('MANAGE_KEYS'),
    detail: 'must not have MANAGE_KEYS with invitationDays: an invitation may outlive the key that creates it',
  },
  {
    path: 'keysExpireInSeconds',
    isWrong: keysExpireInSeconds !== null,
    detail: 'must be left out with invitationDays: an invitation makes no keys',
  },
  {
    path: 'parentOrigins',
    isWrong: parentOrigins.length > 0,
    detail: 'must be left out with invitationDays: an invitation does not open in a frame',
  },
];
