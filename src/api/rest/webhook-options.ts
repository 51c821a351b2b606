import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Fields, shownName } from '../../domain/fields/field.js';
import { membersOf } from '../../domain/fields/field-table.js';
import { webhookFields } from '../../domain/fields/webhook-fields.js';
import type { Webhook } from '../../entities/webhook.js';
import { ApiError, type Path } from '../../errors.js';
import { type Context, tenantOf } from '../context/context.js';
import { optionsOf } from '../graphql/fields/options-of.js';
import { readField, readWebhook } from '../graphql/webhooks/webhook.js';
import { readJson } from '../http/json-body.js';
import { contextOf } from '../http/request-context.js';
import { changedOptions, inGraphqlTerms, mergedMaps, optionsInRest } from './field-forms.js';
import { etagOf, versionFor } from './if-match.js';
import { restName } from './names.js';
import type { Operations, OptionsNode } from './operations.js';
import { webhookOptionsChange } from './option-schemas.js';
import { MERGE_PATCH } from './paths.js';
import {
  bodyOf,
  canReadIfMatch,
  hasNoParameters,
  ignoreBody,
  isThere,
  type WithId,
  webhookIn,
} from './webhook-requests.js';

/** A patch is merged with what is there, so it is tried again when somebody else was faster. */
const TRIES_MAX = 20;

/** The options of a webhook: a resource of their own, because the webhook has the contract's fields alone. */
export async function optionRoutes(app: FastifyInstance, operations: Operations): Promise<void> {
  await app.register(async (scope) => {
    ignoreBody(scope);
    const onRead = [operations.readOptions.authorise, hasNoParameters];
    scope.get<WithId>('/webhooks/:id/options', { onRequest: onRead }, async (request, reply) => {
      const { webhook } = await operations.readOptions(request, { id: webhookIn(request) });
      return { data: restOptions(webhook, reply) };
    });
  });

  readJson(app, [MERGE_PATCH]);
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('accept-patch', `application/json, ${MERGE_PATCH}`);
  });
  const onChange = [operations.updateOptions.authorise, hasNoParameters, canReadIfMatch, isThere];
  app.patch<WithId>('/webhooks/:id/options', { onRequest: onChange }, async (request, reply) => {
    const options = bodyOf(request, webhookOptionsChange);
    const { updateWebhook } = await updateMerged(request, { options, path: ['body'] }, operations.updateOptions);
    return { data: restOptions(updateWebhook.webhook, reply) };
  });
}

interface Patch {
  fields?: Readonly<Record<string, unknown>>;
  options: Readonly<Record<string, unknown>>;
  /** Where the options are. */
  path: Path;
}

/** Changes a webhook by a patch, whose maps are merged with those that are stored. */
export async function updateMerged<Data>(
  request: FastifyRequest<WithId>,
  { fields, options, path }: Patch,
  update: (request: FastifyRequest, variables: { input: Record<string, unknown> }) => Promise<Data>,
): Promise<Data> {
  const [id, context] = [webhookIn(request), contextOf(request)];
  for (let tries = 1; ; tries += 1) {
    const webhook = await readWebhook(context, id, ['id']);
    const asked = versionFor(request.headers['if-match'], webhook.version);
    const changed = changedOptions(webhookFields, options, await shownOptions(webhook, context), path);
    const patch = inGraphqlTerms(webhookFields, { ...fields, ...changed });
    const change = mergedMaps(webhookFields, await optionsOf(webhook, context), patch);
    try {
      return await update(request, { input: { id, ...change, ifVersion: asked ?? webhook.version } });
    } catch (error) {
      const overtaken = error instanceof ApiError && error.reason === 'precondition_failed' && asked === undefined;
      if (!overtaken || tries === TRIES_MAX) {
        throw error;
      }
    }
  }
}

/** The options as GET shows them of a webhook, but for `own`. @param webhook null: one without any, of the tenant */
export async function shownOptions(webhook: Webhook | null, context: Context): Promise<Record<string, unknown>> {
  const noun = webhook ?? ({ tenantId: tenantOf(context), optionsVersion: null } as Webhook);
  const names = Object.entries(webhookFields as Fields).filter(([, { optionsRow }]) => optionsRow);
  const values = names.map(async ([name, field]) => {
    const value = await readField(noun, shownName(name, field), context);
    const members = () => Object.entries(value as object).map(([inner, one]) => [restName(inner), one]);
    return [restName(shownName(name, field)), membersOf(field) === null ? value : Object.fromEntries(members())];
  });
  return optionsInRest(webhookFields, Object.fromEntries(await Promise.all(values)));
}

function restOptions({ version, ...options }: OptionsNode, reply: FastifyReply) {
  reply.header('etag', etagOf(version));
  return optionsInRest(webhookFields, options);
}
