/**
 * Imported before anything else: on an older Node the rest would fail with a syntax error that helps nobody. The npm
 * package `node` brings the right one, which npm scripts, ./hookwright and bin/hookwright.js use.
 */
const NODE_MAJOR_MIN = 24;

if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR_MIN) {
  process.stderr.write(
    `Hookwright needs Node ${NODE_MAJOR_MIN} or later, and this is ${process.versions.node}. ` +
      'Start it with ./hookwright or npm start: npm installs a Node beside it ' +
      '(where npm ran without install scripts, after "npm rebuild --ignore-scripts=false node").\n',
  );
  process.exit(1);
}
