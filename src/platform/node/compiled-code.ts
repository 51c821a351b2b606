import { mkdirSync, statSync } from 'node:fs';
import { constants, enableCompileCache, getCompileCacheDir } from 'node:module';
import { resolve } from 'node:path';

/** Read by this user alone: who writes here decides what the next start runs. */
const PRIVATE = 0o700;

/**
 * Has Node keep the compiled code of the program in the folder `.compiled` beside it, which spares the next start some
 * of its processor time. Only where the program is this user's own: who may write there may change the program as well,
 * so that nothing more is trusted, and no other user's folder gets files that they cannot remove. Elsewhere, where the
 * folder cannot be written, and where NODE_COMPILE_CACHE names another, nothing is done.
 *
 * @param program the folder of the program's files
 * @returns the folder; null where there is none
 */
export function keepCompiledCode(program: string): string | null {
  const folder = resolve(program, '../.compiled');
  try {
    if (getCompileCacheDir() !== undefined || statSync(program).uid !== process.geteuid?.()) {
      return null;
    }
    mkdirSync(folder, { recursive: true, mode: PRIVATE });
  } catch {
    return null;
  }
  return enableCompileCache(folder).status === constants.compileCacheStatus.ENABLED ? folder : null;
}
