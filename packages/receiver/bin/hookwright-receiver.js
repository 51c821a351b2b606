#!/usr/bin/env node
import { POSTGRES_SQL } from '../dist/dedupe/index.js';

if (process.argv[2] === 'sql' && process.argv.length === 3) {
  process.stdout.write(POSTGRES_SQL);
} else {
  process.stderr.write('Usage: npx @hookwright/receiver sql   prints the table of postgres(pool)\n');
  process.exitCode = 2;
}
