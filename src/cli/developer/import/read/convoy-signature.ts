import { z } from 'zod';

/** How a project of Convoy signs, as a signature form here. */

const text = z.string().nullish();

export const project = z.object({
  name: z.string(),
  config: z
    .object({
      signature: z
        .object({ header: text, versions: z.array(z.object({ hash: text, encoding: text })).nullish() })
        .nullish(),
    })
    .nullish(),
});

/** An entry of the file of SIGNATURE_FORMS (docs/settings.md). */
export type SignatureForm = Readonly<Record<string, string>>;

const HEADER = 'x-convoy-signature';
const VERSION = { hash: 'SHA256', encoding: 'hex' };

/**
 * The name of the form for an endpoint, with the form itself where no preset is enough. Convoy's advanced signatures
 * number the versions from the oldest, `v1`; its simple ones have the newest alone.
 */
export function compatOf(
  { config }: z.infer<typeof project>,
  projectId: string,
  isAdvanced: boolean,
): { compat: string; form: SignatureForm | null } {
  const { header: given, versions } = config?.signature ?? {};
  const header = (given || HEADER).toLowerCase();
  const { hash, encoding } = (isAdvanced ? versions?.[0] : versions?.at(-1)) ?? VERSION;
  const preset = isAdvanced ? 'convoy' : 'convoy-simple';
  const algorithm = (hash || VERSION.hash).toLowerCase();
  if (header === HEADER && algorithm === 'sha256' && (encoding || VERSION.encoding) === VERSION.encoding) {
    return { compat: preset, form: null };
  }
  const signed = isAdvanced
    ? { content: '{timestamp},{body}', prefix: 't={timestamp},', value: 'v1={signature}', join: ',' }
    : { content: '{body}', value: '{signature}', join: ',' };
  return {
    compat: `${preset}-${projectId.toLowerCase()}`,
    form: { header, ...signed, algorithm, encoding: encoding || VERSION.encoding, key: 'text' },
  };
}
