import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { missingFlags } from '../../src/platform/node/node-memory.js';

const FLAGS = ['--max-semi-space-size=32', '--heap-growing-percent=45', '--no-maglev-destroy-on-background'];

describe('the flags of Node', () => {
  test('are added where the operator gave none of them', () => {
    expect(missingFlags([])).toEqual(FLAGS);
    expect(missingFlags(['--enable-source-maps'], '--max-old-space-size=400 --no-warnings')).toEqual(FLAGS);
  });

  test('are left as the operator set them, wherever and however that was written', () => {
    const [semiSpace, growing, destroying] = FLAGS;
    expect(missingFlags(['--max-semi-space-size=64', '--heap-growing-percent=300'])).toEqual([destroying]);
    expect(missingFlags(['--heap_growing_percent', '20'])).toEqual([semiSpace, destroying]);
    expect(missingFlags(['--maglev-destroy-on-background'])).toEqual([semiSpace, growing]);
    expect(missingFlags([], '--no-warnings  "--max_semi_space_size=64"')).toEqual([growing, destroying]);
  });

  test('are all there in a program that was started with them, so that it starts anew once only', () => {
    expect(missingFlags(['--enable-source-maps', ...missingFlags([])])).toEqual([]);
  });
});

/** What `api` says at once where it has no database. */
const REFUSED = 'DATABASE_URL is not set';

/** What a process is, told by each program that runs in it, before that program does anything. */
interface Start {
  pid: number;
  execArgv: string[];
  arenasMax?: string;
}

const TELL = `data:text/javascript,${encodeURIComponent(
  `const { pid, execArgv, env } = process;
   process.stderr.write('START ' + JSON.stringify({ pid, execArgv, arenasMax: env.MALLOC_ARENA_MAX }) + '\\n');`,
)}`;

describe('the program', () => {
  test('starts again with them to serve, as the same process, with its arguments, and ends with its own code', async () => {
    const { child, starts, output, code } = await run(['api'], {}, []);
    expect(starts).toHaveLength(2);
    expect(starts[1]).toMatchObject({ pid: child.pid, arenasMax: '1' });
    expect(starts[1]?.execArgv).toEqual([...(starts[0]?.execArgv ?? []), ...FLAGS]);
    expect(output).toContain(REFUSED);
    expect(code).toBe(1);
  });

  test('leaves what the operator set', async () => {
    const env = { NODE_OPTIONS: '--max-semi-space-size=64', MALLOC_ARENA_MAX: '4' };
    const { starts, output } = await run(['api'], env, []);
    expect(starts).toHaveLength(2);
    expect(starts.at(-1)?.execArgv).not.toContain('--max-semi-space-size=32');
    expect(starts.at(-1)).toMatchObject({ arenasMax: '4' });
    expect(output).toContain(REFUSED);
  });

  test.each([
    ['where a parent has a channel to it', 'api', ['ipc'] as 'ipc'[], REFUSED],
    ['for a command that serves nothing', '--version', [], '0.1.0\n'],
  ])('goes on as it is %s', async (_, command, channel, said) => {
    const { starts, output } = await run([command], {}, channel);
    expect(starts).toHaveLength(1);
    expect(output).toContain(said);
  });
});

interface Run {
  child: ChildProcess;
  starts: Start[];
  output: string;
  code: number | null;
}

async function run(args: string[], env: Record<string, string>, channel: 'ipc'[]): Promise<Run> {
  const { NODE_OPTIONS, MALLOC_ARENA_MAX, ...rest } = process.env;
  const child = spawn(process.execPath, ['--import', TELL, 'dist/program/main.js', ...args], {
    env: { ...rest, ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...channel],
  });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = await once(child, 'close');
  const starts = [...output.matchAll(/^START (.*)$/gm)].map(([, json]) => JSON.parse(json ?? '') as Start);
  return { child, starts, output, code };
}
