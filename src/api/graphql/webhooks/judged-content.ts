import type { WebhookOptions } from '../../../entities/webhook-options.js';
import type { Known } from '../../../operations/fields/kind-rules.js';
import type { Context } from '../../context/context.js';
import { knownTo } from '../fields/known-event-type.js';

interface WithContent {
  content?: { release?: string | null; shape?: string | null } | null;
}

type Stored = Partial<Pick<WebhookOptions, 'release' | 'shape'>>;

/**
 * The input for a webhook, and what its rules compare with. A shape is judged by the versions that the release gives,
 * so another release has it judged and planned again.
 *
 * @param stored the options that the webhook has
 * @param unsaid the release without one in the input. Default: that of the webhook
 */
export async function judgedContent<Input extends object>(
  context: Context,
  input: Input & WithContent,
  stored: Stored | null,
  unsaid: string | null = stored?.release ?? null,
): Promise<{ known: Known; input: Input }> {
  const { content } = input;
  const { shape = null } = stored ?? {};
  const before = stored?.release ?? null;
  const release = content?.release === undefined ? unsaid : content.release?.trim() || null;
  const known = await knownTo(context, release);
  if (release === before) {
    return { known: { ...known, storedShape: shape }, input };
  }
  const again = shape !== null && content?.shape === undefined;
  return { known, input: again ? { ...input, content: { ...content, shape: shape.text } } : input };
}
