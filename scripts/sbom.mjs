// Prints a software bill of materials (CycloneDX) of what an installation without development dependencies has, for
// every platform. npm's own `--omit dev` leaves out packages that a development dependency needs too, such as graphql.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const read = (file) => JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'hookwright-sbom-'));
const write = (file, content) => {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), JSON.stringify(content));
};

try {
  const lock = read('package-lock.json');
  for (const [path, { dev, link, devDependencies, ...entry }] of Object.entries(lock.packages)) {
    lock.packages[path] = dev ? undefined : { ...entry, link };
    if (!dev && !path.includes('node_modules')) {
      const { devDependencies: left, ...manifest } = read(join(path, 'package.json'));
      write(join(path, 'package.json'), manifest);
    }
  }
  write('package-lock.json', lock);
  const { status } = spawnSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
