import { execFile } from 'node:child_process';

/** Runs a command as if it were pasted into a shell, and answers with what it printed. @throws Error when it fails */
export function shell(command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile('sh', { maxBuffer: 2 ** 22 }, (error, stdout) => (error ? reject(error) : resolve(stdout)));
    child.stdin?.end(command);
  });
}

export const hasCurl = await shell('command -v curl').then(
  () => true,
  () => false,
);
