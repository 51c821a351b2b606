import type { Command } from 'commander';
import { collected } from '../options/collected.js';

/** @param reaching adds the options of commands that talk to an API about several tenants */
export function addImportCommands(program: Command, reaching: (command: Command) => Command): void {
  const imports = program
    .command('import')
    .description('webhooks of a former system, with their secrets (docs/from-*.md)');
  const read = imports.command('read').description('write what a former system has as a file of lines');
  const reader = (name: string) =>
    read
      .command(name)
      .requiredOption('--out <file>', 'the file to write, for your eyes alone: it has secrets')
      .option('--only <tenant>', 'only this tenant, by its id there; repeatable', collected)
      .option('--compat <form>', 'the signature form of all webhooks, or none; default: that of the system');
  reader('svix')
    .description('Svix: applications, endpoints and event types; the key is in SVIX_AUTH_TOKEN')
    .requiredOption('--from <url>', 'where Svix is')
    .action(async (options) => (await reading()).readInto(options, (await import('./read/svix.js')).readSvix));
  reader('convoy')
    .description('Convoy: the endpoints and subscriptions of a project; the key is in CONVOY_API_KEY')
    .requiredOption('--from <url>', 'where Convoy is')
    .requiredOption('--project <id>', 'the project')
    .action(async (options) => (await reading()).readInto(options, (await import('./read/convoy.js')).readConvoy));
  reader('outpost')
    .description('Outpost: tenants and their webhook destinations; the key is in OUTPOST_API_KEY')
    .requiredOption('--from <url>', 'where Outpost is')
    .action(async (options) => (await reading()).readInto(options, (await import('./read/outpost.js')).readOutpost));
  reader('sql')
    .description('your own tables in Postgres, by a query; the database is in IMPORT_DATABASE_URL')
    .requiredOption('--query <file>', 'a file with the query, whose columns are the fields of a line')
    .action(async (options) => (await reading()).readInto(options, (await import('./read/sql.js')).readSql));
  reaching(imports.command('write <file>'))
    .description('make the tenants and webhooks of a file, or of standard input (-); again and again')
    .option('--dry-run', 'show what would be done, and write nothing')
    .option('--update', 'change webhooks that are there and differ; default: show them')
    .option('--register-types', 'register event types that the file has and the service lacks')
    .option('--paused', 'make webhooks that send nothing until they are enabled')
    .action(async (file, options) => (await import('./write/write.js')).writeImport(file, options));
}

const reading = () => import('./read/read.js');
