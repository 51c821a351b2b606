import { vi } from 'vitest';
import { runCommand } from '../../src/cli/command-line.js';
import { settings } from '../../src/platform/settings/settings.js';

/**
 * Runs a command of `hookwright` to its end, in this process: what it does and says, without the second of processor
 * time that starting the program takes. One at a time. Not for commands that serve, and not for what the command line
 * itself refuses: both end the process.
 *
 * @param set its settings; none are inherited
 */
export async function runHere(args: readonly string[], set: Readonly<Record<string, string>>) {
  const { env, exitCode } = process;
  const inherited = Object.entries(env).filter(([name]) => !(name in settings));
  const outputs = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
  const [output, errors] = outputs.map((spy) => {
    const texts: string[] = [];
    spy.mockImplementation((text) => texts.push(String(text)) > 0);
    return texts;
  }) as [string[], string[]];
  try {
    process.env = { ...Object.fromEntries(inherited), ...set };
    process.exitCode = 0;
    const code = (await runCommand(args)) ? Number(process.exitCode) : 1;
    return { code, output: output.join(''), errors: errors.join('') };
  } finally {
    Object.assign(process, { env, exitCode });
    for (const spy of outputs) {
      spy.mockRestore();
    }
  }
}
