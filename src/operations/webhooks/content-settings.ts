import { isDeepStrictEqual } from 'node:util';
import { type Content, type ContentSettings, contentFrom } from '../../domain/content/content.js';
import { CHATS, isChat } from '../../domain/content/formats.js';
import type { Webhook } from '../../entities/webhook.js';
import { refusedInput } from '../../errors.js';
import { query, type SqlTarget, type Statement } from '../../platform/database/database.js';

const NAMES = ['release', 'shape', 'format', 'text', 'template'] as const;

/**
 * Judges changed settings of a webhook's content together with the others, and writes another content where they make
 * one. Its row in webhook_contents never changes: deliveries name it.
 *
 * @param webhook as it was, with its options row
 * @returns the id of the content for the options row; nothing when it stays
 * @throws ApiError invalid_input for what the format lacks, or does not use
 */
export async function changeContent(
  sql: SqlTarget,
  webhook: Webhook,
  changes: Readonly<Record<string, unknown>>,
): Promise<{ contentId?: number | null }> {
  if (!NAMES.some((name) => name in changes)) {
    return {};
  }
  const { release = null, shape = null, format = null, text = null, template = null } = webhook.options ?? {};
  const before: ContentSettings = { release, shape, format, text, template };
  const settings: ContentSettings = { ...before, ...changes };
  requireUsable(settings, changes);
  const content = contentFrom(settings);
  return isDeepStrictEqual(content, contentFrom(before))
    ? {}
    : { contentId: content === null ? null : await writeContent(sql, webhook, content) };
}

/**
 * Requires what the format needs, and nothing else.
 *
 * @param changes the settings of the input
 * @throws ApiError invalid_input
 */
export function requireUsable(
  { format, template }: ContentSettings,
  changes: Partial<Record<(typeof NAMES)[number], unknown>>,
): void {
  const refused = (name: string, code: string, detail: string) => refusedInput(['content', name], code, detail);
  if (format === 'TEMPLATE' && template == null) {
    throw refused('template', 'template_missing', 'is missing: the format TEMPLATE sends it');
  }
  if (changes.template != null && format !== 'TEMPLATE') {
    throw refused('template', 'template_not_used', 'is sent by the format TEMPLATE only; set `format` too');
  }
  if (changes.text != null && !isChat(format)) {
    throw refused(
      'text',
      'content_text_not_used',
      `is sent by the formats of chats only (${CHATS.join(', ')}); set \`format\` too`,
    );
  }
}

const insertStatement: Statement = {
  text: `
    insert into hookwright.webhook_contents (tenant_id, webhook_id, format, text, template, shape, release)
    values ($1, $2, $3, $4, $5::text::json, $6::text::json, $7) returning id`,
};

async function writeContent(sql: SqlTarget, webhook: Webhook, content: Content): Promise<number> {
  const { release, shape, format, text, template } = content;
  const [templateJson, shapeJson] = [template, shape].map((one) => (one === null ? null : JSON.stringify(one)));
  const values = [webhook.tenantId, webhook.id, format, text, templateJson, shapeJson, release];
  const [row] = await query<{ id: number | string }>(sql, insertStatement, values);
  return Number(row!.id);
}
