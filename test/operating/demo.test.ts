import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { describe, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { heard } from '../support/program.js';
import { temporaryFolder } from '../support/temporary-folder.js';

describe.concurrent('the demo', { timeout: 120_000 }, () => {
  const onTerminal = ['--import', 'data:text/javascript,process.stdin.isTTY = process.stdout.isTTY = true'];

  /** In a shell with settings for another installation and another Postgres. */
  function startDemo(flags: readonly string[] = []) {
    const folder = temporaryFolder();
    const env = { ...process.env, TMPDIR: folder, PORT: '1', DASHBOARD: 'off', MAX_RETRIES: '0', PGSSLMODE: 'require' };
    const demo = spawn(process.execPath, [...flags, 'dist/bench/demo.js'], { env });
    return { demo, said: heard(demo), left: () => readdirSync(folder) };
  }

  const story =
    /heldCount } } {2}→ {2}3\n.*active": true}\n(.*answered 200\n){3}.*active true, consecutive_failures 0\n/s;
  const lastLine = (text: string) => text.trimEnd().split('\n').at(-1);

  test('runs to its last line, with a link into the console, and leaves nothing', async ({ expect }) => {
    const { demo, said, left } = startDemo();
    expect(await once(demo, 'close')).toEqual([0, null]);
    expect(said.output).toMatch(story);
    expect(said.output).toMatch(/http:\S+\/console\/#code=/);
    expect(said.output).not.toContain('failed');
    expect(lastLine(said.output)).toBe('Yours starts with: npm start');
    expect(left()).toEqual([]);
  });

  test('stays on a terminal, where its link signs in to the console, until Ctrl-C', async ({ expect }) => {
    const { demo, said, left } = startDemo(onTerminal);
    await eventually(() => said.output.includes('until you press Ctrl-C'), 90_000);
    const [, console, code] = /(http:\S+\/console)\/#code=(\S+)/.exec(said.output) ?? [];
    const headers = { 'content-type': 'application/json' };
    const signedIn = await fetch(`${console}/sign-in`, { method: 'POST', headers, body: JSON.stringify({ code }) });
    expect(signedIn.status).toBe(200);
    demo.kill('SIGINT');
    expect(await once(demo, 'close')).toEqual([0, null]);
    expect(lastLine(said.output)).toBe('Yours starts with: npm start');
    expect(left()).toEqual([]);
  });

  test('ends at Ctrl-C, and leaves nothing', async ({ expect }) => {
    const { demo, said, left } = startDemo();
    await eventually(() => said.output.includes('The receiver breaks'), 60_000);
    expect(left()).toEqual([expect.stringMatching(/^hookwright-demo-/)]);
    demo.kill('SIGINT');
    expect(await once(demo, 'close')).toEqual([130, null]);
    expect(said.output).toContain('Stopped; everything is taken away again.');
    expect(said.output).not.toContain('failed');
    expect(left()).toEqual([]);
  });
});
