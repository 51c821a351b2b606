import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Config } from './config.js';

/** The file with the key that the first start of an all-in-one installation makes. */
export const apiKeyFile = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'api-key');

/** The file with the address at which an all-in-one installation was last reached, for commands on this machine. */
export const apiUrlFile = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'api-url');

/** The file of the key as people in the folder of the service name it. Null where there is none. */
export function shownApiKeyFile(config: Pick<Config, 'dataDir' | 'embedded'>): string | null {
  const path = apiKeyFile(config);
  if (!config.embedded || !existsSync(path)) {
    return null;
  }
  const fromHere = relative('', path);
  return fromHere.startsWith('..') ? path : fromHere;
}
