import { z } from 'zod';
import { commaSeparated, setting, yesNo } from './setting.js';

/** Accepts an origin in the form of the header `Origin`: lower case, no usual port. No other form would ever match. */
const isWebOrigin = (text: string): boolean => /^https?:\/\/[^*]+$/.test(text) && URL.parse(text)?.origin === text;

/** Settings for browsers. */
export const browserSettings = {
  CORS_ORIGINS: setting(
    commaSeparated.refine((origins) => origins.every(isWebOrigin)),
    'origins such as https://app.example.com, in full, as browsers send them, separated by commas',
    'Browser origins that may call the API. Default: none.',
  ),
  INTROSPECTION: setting(yesNo(true), 'true or false', 'Whether clients may read the GraphQL schema.'),
  GRAPHIQL: setting(yesNo(true), 'true or false', 'Whether /graphiql is served.'),
  DASHBOARD: setting(
    z.enum(['on', 'off']).default('on'),
    'on or off',
    'Whether /portal and /console are served, and portal sessions can be made.',
  ),
  PUBLIC_URL: setting(
    z.string().refine(isWebOrigin).optional(),
    'an origin such as https://hooks.example.com, in full, as browsers send it',
    'The origin at which browsers reach this service: urls of portal sessions and the printed link to the console begin with it, and sign-in by OIDC_ISSUER returns to it. Unset: urls begin with the Host of the request that makes the session.',
  ),
} as const;
