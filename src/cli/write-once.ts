import { randomUUID } from 'node:crypto';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';

const OWNER_ONLY = 0o600;

/** Writes a file for its owner's eyes, unless it is there already: two first starts at once must agree on one key. */
export async function writeOnce(file: string, text: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  // Under another name first, which nobody else uses: nobody may find it half written.
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, text, { mode: OWNER_ONLY, flush: true });
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw error;
    }
  } finally {
    await rm(draft, { force: true });
  }
}
