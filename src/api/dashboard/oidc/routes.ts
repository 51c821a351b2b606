import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hashApiKey } from '../../../domain/keys/api-key.js';
import { claimNamed, operatorScope, sessionName } from '../../../domain/keys/operator-role.js';
import { ApiError, keyRequired } from '../../../errors.js';
import { createApiKey } from '../../../operations/keys/create-api-key.js';
import { endConsoleSession, revokeApiKey } from '../../../operations/keys/revoke-api-key.js';
import { type Actor, service } from '../../../operations/rows/audit.js';
import { namedProgram } from '../../../platform/node/this-program.js';
import { shownApiKeyFile } from '../../../platform/settings/api-key-file.js';
import type { Config } from '../../../platform/settings/config.js';
import { actorOf, callerOf, type Services } from '../../context/context.js';
import { cookieText, FORMER_COOKIE, readCookie, SESSION_COOKIE, sessionKeyOf } from '../../http/console-cookies.js';
import { requestContext } from '../../http/request-context.js';
import { CALLBACK_PATH, type Claims, type Flow, Provider, plain, SignInRefused } from './provider.js';

type Oidc = NonNullable<Config['oidc']>;

const START_PATH = '/console/oidc/start';
const FLOW_COOKIE = 'hookwright-sign-in';
const FLOW_SECONDS = 600;
const SESSION_SECONDS = 28_800;

/** The ways to sign in besides keys. */
export interface WaysIn {
  /** The provider and the url where signing in begins. Null without OpenID Connect. */
  oidc: { name: string; url: string } | null;
  /** Whether this browser has the cookie of a session. */
  isSignedIn: boolean;
  /** The file with the key of the first start. Null where there is none. */
  keyFile: string | null;
  /** How people beside the service call its program. */
  program: string;
}

/**
 * Signs people in to the console by OpenID Connect, and out again. A session is a platform key for eight hours with the
 * scope of the person's role, in a cookie that no script can read. A browser has one at a time. A refused person
 * returns to the sign-in page, with the reason behind the #.
 */
export async function oidcRoutes(
  app: FastifyInstance,
  { services, oidc }: { services: Services; oidc: Oidc },
): Promise<void> {
  const { authenticator, db, log } = services;
  const provider = new Provider(oidc, services.clock);
  const setFlow = (reply: FastifyReply, value: string) =>
    setCookie(reply, oidc, { name: FLOW_COOKIE, value, lifeSeconds: FLOW_SECONDS, sameSite: 'Lax' });
  const setSession = (reply: FastifyReply, key: string, former: string) => {
    const lifeSeconds = SESSION_SECONDS;
    setCookie(reply, oidc, { name: SESSION_COOKIE, value: key, lifeSeconds, sameSite: 'Strict' });
    setCookie(reply, oidc, { name: FORMER_COOKIE, value: former, lifeSeconds, sameSite: 'Lax' });
  };
  const refuse = (request: FastifyRequest, reply: FastifyReply, returnPath: string, error: unknown) => {
    if (!(error instanceof SignInRefused)) {
      throw error;
    }
    const { refusal, message } = error;
    log.warn({ requestId: request.id, refusal }, `nobody was signed in to the console: ${message}`);
    return reply.redirect(`${returnPath}#sign-in=${refusal}`, 303);
  };

  app.get('/console/oidc', async (request): Promise<WaysIn> => {
    const isSignedIn = readCookie(oidc, request, SESSION_COOKIE) !== undefined;
    const keyFile = shownApiKeyFile(services.config);
    const ways = { oidc: { name: oidc.name, url: oidc.publicUrl + START_PATH }, isSignedIn };
    return { ...ways, keyFile, program: namedProgram };
  });

  app.get<{ Querystring: { return?: unknown } }>(START_PATH, async (request, reply) => {
    const returnPath = consolePath(oidc, request.query.return);
    try {
      const { url, flow } = await provider.begin(returnPath);
      setFlow(reply, Buffer.from(JSON.stringify(flow)).toString('base64url'));
      return reply.redirect(url.href, 303);
    } catch (error) {
      return refuse(request, reply, returnPath, error);
    }
  });

  app.get(CALLBACK_PATH, async (request, reply) => {
    const flow = flowIn(readCookie(oidc, request, FLOW_COOKIE));
    const returnPath = consolePath(oidc, flow?.returnPath);
    setFlow(reply, '');
    try {
      if (flow === null) {
        throw new SignInRefused('stale', 'the browser has no sign-in under way');
      }
      const claims = await provider.end(new URL(request.url, oidc.publicUrl).search, flow);
      const { id, key } = await openSession(services, oidc, claims);
      setSession(reply, key, `${id}.${hashApiKey(key).toString('base64url')}`);
      const by: Actor = { kind: 'PLATFORM_KEY', keyId: id, requestId: request.id };
      await endFormer(services, readCookie(oidc, request, FORMER_COOKIE), by);
      return reply.redirect(returnPath, 303);
    } catch (error) {
      return refuse(request, reply, returnPath, error);
    }
  });

  app.post('/console/oidc/sign-out', async (request, reply) => {
    const key = sessionKeyOf(services.config, request);
    if (key === undefined) {
      throw keyRequired();
    }
    setSession(reply, '', '');
    const context = await requestContext(services, request, `Bearer ${key}`).catch((error: unknown) => {
      if (error instanceof ApiError && error.reason === 'unauthenticated') {
        return null; // the session has ended already
      }
      throw error;
    });
    if (context !== null) {
      const { keyId } = callerOf(context);
      authenticator.forgetRevoked(await revokeApiKey(db, null, keyId, actorOf(context)));
    }
    return { url: await provider.signOutUrl() };
  });
}

function setCookie(reply: FastifyReply, oidc: Oidc, cookie: Parameters<typeof cookieText>[1]): void {
  reply.header('set-cookie', cookieText(oidc, cookie));
}

/** @throws SignInRefused */
async function openSession({ db, random }: Services, oidc: Oidc, claims: Claims) {
  const scope = operatorScope(claims, oidc.rolesClaim, oidc.roles);
  if (scope === null) {
    throw new SignInRefused('role', whyNoRole(oidc, claims));
  }
  return await createApiKey(db, random, {
    tenantId: null,
    name: sessionName(claims),
    scopes: [scope],
    expiresInSeconds: SESSION_SECONDS,
    consoleSession: true,
    by: service,
  });
}

/** Which setting to look at: the claim may be missing, or have other values than the settings. */
function whyNoRole({ rolesClaim, roles }: Oidc, claims: Claims): string {
  const given = claimNamed(claims, rolesClaim);
  const sub = plain(claims.sub);
  if (given === undefined || given === null) {
    const others = plain(Object.keys(claims).join(', '));
    return `the provider sends no claim ${rolesClaim} of ${sub}, only ${others}: see OIDC_ROLES_CLAIM and OIDC_SCOPES`;
  }
  const wanted = Object.values(roles).flat().join(', ');
  return `the claim ${rolesClaim} of ${sub} is ${plain(JSON.stringify(given))}, and gives no role: roles need one of ${wanted}`;
}

/** Ends the session that the browser had before. The hash proves that it was the browser's. */
async function endFormer(services: Services, former: string | undefined, by: Actor): Promise<void> {
  const [, id, hash] = /^([1-9]\d{0,14})\.([\w-]{43})$/.exec(former ?? '') ?? [];
  if (id !== undefined && hash !== undefined) {
    await endConsoleSession(services, Number(id), Buffer.from(hash, 'base64url'), by);
  }
}

/** Reads our own cookie. A forged one harms only its own browser. */
function flowIn(cookie: string | undefined): Flow | null {
  try {
    const text = Buffer.from(cookie ?? '', 'base64url').toString();
    const { state, nonce, codeVerifier, returnPath } = JSON.parse(text) as Record<string, unknown>;
    return typeof state === 'string' && typeof nonce === 'string' && typeof codeVerifier === 'string'
      ? { state, nonce, codeVerifier, returnPath: String(returnPath) }
      : null;
  } catch {
    return null;
  }
}

/** The wanted path if it is one of the console, otherwise the first page of the console. */
function consolePath({ origin, basePath }: Oidc, wanted: unknown): string {
  const first = `${basePath}/console`;
  const url = typeof wanted === 'string' ? URL.parse(wanted, origin) : null;
  const isThere = url?.origin === origin && `${url.pathname}/`.startsWith(`${first}/`);
  return isThere && !url.pathname.startsWith(`${first}/oidc`) ? url.pathname + url.search : first;
}
