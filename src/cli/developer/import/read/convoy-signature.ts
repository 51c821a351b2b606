import { z } from 'zod';
import { FORM_PRESETS } from '../../../../domain/signing/form-presets.js';

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
): { compat: string; form: object | null } {
  const { header: given, versions } = config?.signature ?? {};
  const { hash, encoding } = (isAdvanced ? versions?.[0] : versions?.at(-1)) ?? VERSION;
  const own = {
    header: given || HEADER,
    algorithm: (hash || VERSION.hash).toLowerCase(),
    encoding: encoding || VERSION.encoding,
  };
  const preset = isAdvanced ? 'convoy' : 'convoy-simple';
  const isUsual = own.header.toLowerCase() === HEADER && own.algorithm === 'sha256' && own.encoding === 'hex';
  return isUsual
    ? { compat: preset, form: null }
    : { compat: formName(preset, projectId), form: { ...FORM_PRESETS[preset], ...own } };
}

/** A name that the file of forms takes: small letters, digits and dashes. */
const formName = (preset: string, projectId: string): string =>
  `${preset}-${projectId.toLowerCase().replaceAll(/[^a-z0-9]/g, '')}`.slice(0, FORM_NAME_CHARS_MAX);

const FORM_NAME_CHARS_MAX = 40;
