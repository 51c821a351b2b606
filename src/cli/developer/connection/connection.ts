import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { thisProgram } from '../../../platform/node/this-program.js';
import { apiKeyFile, apiUrlFile } from '../../../platform/settings/api-key-file.js';

/** The options of every command that talks to an API: see `connectionOptions`. */
export interface ConnectionFlags {
  url?: string;
  key?: string;
  tenant?: string;
}

export interface Connection {
  /** Where the service is, with its path and without a slash at the end. */
  url: string;
  key: string;
  /** Where the key was found, for messages: they never show the key itself. */
  keyFrom: string;
  /** The tenant that a platform key acts for. */
  tenant?: string | undefined;
}

/**
 * Finds the API: by the command's options, else by HOOKWRIGHT_URL and HOOKWRIGHT_API_KEY, else in the data folder of a
 * service that brings its own Postgres: DATA_DIR, or `.data` in this folder. The first start has left its key there,
 * and each start its address. That key goes to that address alone.
 *
 * @throws Error with a sentence that says what is missing
 */
export function findConnection(flags: ConnectionFlags, env: NodeJS.ProcessEnv = process.env): Connection {
  const dataDir = env['DATA_DIR'] || '.data';
  const localUrl = textOf(apiUrlFile({ dataDir }));
  const named = flags.url ?? (env['HOOKWRIGHT_URL'] || undefined) ?? localUrl;
  if (named === undefined) {
    throw new Error(
      `Where is the service? Name it with --url or HOOKWRIGHT_URL, or start it here: ` +
        `"${thisProgram} start" leaves its address in ${join(dataDir, 'api-url')}.`,
    );
  }
  const url = baseUrl(named);
  const tenant = flags.tenant;
  if (flags.key === '') {
    throw new Error('The API key of --key is empty.');
  }
  if (flags.key !== undefined) {
    return { url, key: flags.key, keyFrom: '--key', tenant };
  }
  if (env['HOOKWRIGHT_API_KEY']) {
    return { url, key: env['HOOKWRIGHT_API_KEY'], keyFrom: 'HOOKWRIGHT_API_KEY', tenant };
  }
  const file = apiKeyFile({ dataDir });
  const localKey = localUrl !== undefined && baseUrl(localUrl) === url ? textOf(file) : undefined;
  if (localKey === undefined) {
    throw new Error(`An API key is missing for ${url}. Give it with --key or HOOKWRIGHT_API_KEY.`);
  }
  return { url, key: localKey, keyFrom: file, tenant };
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      return undefined;
    }
    throw new Error(`${file} cannot be read: ${message}.`);
  }
}

function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new Error(`"${text}" is not the URL of a service; it begins with http:// or https://.`);
  }
  return `${url.origin}${url.pathname.replace(/(\/graphql|\/api\/v1)?\/*$/, '')}`;
}
