import { z } from 'zod';
import { commaSeparated, setting, yesNo } from './setting.js';

/** As browsers write it in `Origin`: in lower case, without the usual port. Others would match nothing. */
const isWebOrigin = (text: string): boolean => /^https?:\/\/[^*]+$/.test(text) && URL.parse(text)?.origin === text;

/** What browsers get, and may do. */
export const browserSettings = {
  CORS_ORIGINS: setting(
    commaSeparated.refine((origins) => origins.every(isWebOrigin)),
    'origins such as https://app.example.com, in full, as browsers send them, separated by commas',
    'Browser origins that may call the API. Default: none.',
  ),
  INTROSPECTION: setting(yesNo(true), 'true or false', 'Whether the GraphQL schema may be asked for.'),
  GRAPHIQL: setting(yesNo(true), 'true or false', 'Whether /graphiql is served.'),
  DASHBOARD: setting(
    z.enum(['on', 'off']).default('on'),
    'on or off',
    'Whether /portal and /console are served, and portal sessions can be made.',
  ),
  PUBLIC_URL: setting(
    z.string().refine(isWebOrigin).optional(),
    'an origin such as https://hooks.example.com, in full, as browsers send it',
    'Where browsers reach this service: the urls of portal sessions begin with it, and people who sign in by OIDC_ISSUER come back to it. Unset: with the Host of the request that makes the session.',
  ),
} as const;
