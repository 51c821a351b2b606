import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { hashApiKey } from '../../domain/keys/api-key.js';
import { PLATFORM_ADMIN } from '../../domain/keys/scopes.js';
import { formatTimestamp } from '../../domain/text/timestamp.js';
import { ApiError, invalidInput } from '../../errors.js';
import { createApiKey } from '../../operations/keys/create-api-key.js';
import { endConsoleSession } from '../../operations/keys/revoke-api-key.js';
import { exchangePortalCode } from '../../operations/portal/exchange-portal-code.js';
import { service } from '../../operations/rows/audit.js';
import { actorOf, callerOf, type Services } from '../context/context.js';
import { readBody, readJson } from '../http/json-body.js';
import { requestContext } from '../http/request-context.js';
import type { OneTimeCode } from './one-time-code.js';

const BODY_BYTES_MAX = 1_024;
const CONSOLE_KEY_SECONDS = 43_200;

/** The answer to a code: a key of the API and its end. */
interface SignedIn {
  token: string;
  /** A timestamp in the form of the API. */
  expiresAt: string;
}

const signedIn = (token: string, expiresAt: Date): SignedIn => ({ token, expiresAt: formatTimestamp(expiresAt) });

/**
 * The routes where pages exchange the code in the fragment of their url for a key, and where such a session of the
 * console ends. They set and read no cookie, so pages of other origins cannot use them.
 *
 * @param startCode null when no link was printed
 */
export async function signInRoutes(
  app: FastifyInstance,
  { services, startCode }: { services: Services; startCode: OneTimeCode | null },
): Promise<void> {
  const { db, authenticator, random } = services;
  readJson(app);
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
  const options = { bodyLimit: BODY_BYTES_MAX };
  app.post<{ Params: { publicId: string } }>('/portal/s/:publicId', options, async (request) => {
    const { publicId } = request.params;
    const exchange = { publicId, code: codeIn(readBody(request)), address: request.ip };
    const { token, expiresAt } = await exchangePortalCode(db, authenticator, random, exchange);
    return signedIn(token, expiresAt);
  });
  app.post('/console/sign-out', async (request, reply) => {
    const { authorization } = request.headers;
    const context = await requestContext(services, request, authorization);
    const { keyId } = callerOf(context);
    await endConsoleSession(services, keyId, hashApiKey(tokenIn(authorization!)), actorOf(context));
    return reply.code(204).send();
  });
  if (startCode !== null) {
    app.post('/console/sign-in', options, async (request) => {
      const code = codeIn(readBody(request));
      const taken = await authenticator.guess(request.ip, async () => startCode.take(code) || null);
      if (taken === null) {
        throw new ApiError(
          'not_found',
          'This link works once, for ten minutes after the start that printed it. Start Hookwright again for a new one, or sign in with an API key.',
        );
      }
      return openConsole(services);
    });
  }
}

async function openConsole({ db, random }: Services): Promise<SignedIn> {
  const { key, apiKey } = await createApiKey(db, random, {
    tenantId: null,
    name: 'console, signed in by the link of the start',
    scopes: [PLATFORM_ADMIN],
    expiresInSeconds: CONSOLE_KEY_SECONDS,
    consoleSession: true,
    by: service,
  });
  return signedIn(key, apiKey.expiresAt!);
}

const body = z.strictObject({ code: z.string().max(BODY_BYTES_MAX) });

/** @throws ApiError invalid_input */
function codeIn(value: unknown): string {
  const { data } = body.safeParse(value);
  if (data === undefined) {
    const detail = 'must be an object with the text `code` alone, which stands behind the # of the link';
    throw invalidInput([{ path: ['body'], code: 'invalid_type', detail }]);
  }
  return data.code;
}

/** The key in the value of a header that was found to be right. */
const tokenIn = (authorization: string): string => authorization.replace(/^\S+ +/, '').trimEnd();
