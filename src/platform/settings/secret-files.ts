import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The text of a setting. */
export interface Found {
  text: string | undefined;
  /** None: it comes from its variable, or is not set. */
  file?: string;
}

type FileText = { text: string } | { fault: string; isMissing: boolean };

/** The variable that names the file of a setting. */
export const fileVariable = (name: string): string => `${name}_FILE`;

/**
 * Finds the text of a setting that holds a secret: in its variable, in the file that `<NAME>_FILE` names, or in the
 * file of its name in `CREDENTIALS_DIRECTORY`, which systemd sets.
 *
 * @throws Error with a sentence when there are several, or a file gives no text
 */
export function readSecret(name: string, env: Environment): Found {
  const files = [
    { source: fileVariable(name), file: env[fileVariable(name)] },
    { source: 'CREDENTIALS_DIRECTORY', file: env['CREDENTIALS_DIRECTORY'] && join(env['CREDENTIALS_DIRECTORY'], name) },
  ].flatMap(({ source, file }) => (file ? [{ source, file, read: readSecretFile(file) }] : []));
  // systemd's folder has the files of some settings alone.
  const found = files.filter(
    ({ source, read }) => source === fileVariable(name) || !('isMissing' in read && read.isMissing),
  );
  const sources = found.map(({ source, file }) => `the file ${file} (${source})`);
  if (env[name]) {
    sources.unshift('the variable of this name');
  }
  if (sources.length > 1) {
    throw new Error(`${name} is set in several places: ${sources.join(' and ')}. Keep one of them.`);
  }
  const [only] = found;
  if (only === undefined) {
    return { text: env[name] || undefined };
  }
  if ('fault' in only.read) {
    throw new Error(
      `${name} comes from ${sources[0]}, which ${only.read.fault}. Write its value there, and let the user of this process read it.`,
    );
  }
  return { text: only.read.text, file: only.file };
}

/**
 * Reads the secret in a file, without a byte order mark and one line break at its end. A fault is the end of a sentence
 * about the file.
 */
export function readSecretFile(file: string): FileText {
  try {
    const text = readFileSync(file, 'utf8').replaceAll(/^\uFEFF|\r?\n$/g, '');
    return text === '' ? { fault: 'is empty', isMissing: false } : { text };
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return { fault: `cannot be read (${code})`, isMissing: /^(ENOENT|ENOTDIR)$/.test(code) };
  }
}
