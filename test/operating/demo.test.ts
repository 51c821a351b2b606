import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { heard } from '../support/program.js';
import { temporaryFolder } from '../support/temporary-folder.js';

test('Ctrl-C ends the demo, and nothing of it is left', { timeout: 60_000 }, async () => {
  const folder = temporaryFolder();
  const demo = spawn(process.execPath, ['dist/bench/demo.js'], { env: { ...process.env, TMPDIR: folder } });
  const said = heard(demo);
  await eventually(() => said.output.includes('The receiver breaks'), 40_000);
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^hookwright-demo-/)]);
  demo.kill('SIGINT');
  expect(await once(demo, 'close')).toEqual([130, null]);
  expect(said.output).toContain('Stopped; everything is taken away again.');
  expect(said.output).not.toContain('failed');
  expect(readdirSync(folder)).toEqual([]);
});
