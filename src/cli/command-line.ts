import { Command, Option } from 'commander';
import { CELL_MAX } from '../domain/ids/cell.js';
import { KEY_LIFETIME_SECONDS_MAX, KEY_LIFETIME_SECONDS_MIN } from '../domain/keys/api-key.js';
import { PLATFORM_ADMIN, PLATFORM_SCOPES, SCOPES } from '../domain/keys/scopes.js';
import { thisProgram } from '../platform/node/this-program.js';
import { version } from '../platform/node/version.js';
import { addDeveloperCommands } from './developer/commands.js';
import { notNegative, positiveInteger } from './developer/options/numbers.js';
import type { Roles } from './start.js';
import { externalId, limitNamed, tenantNamed } from './tenant-named.js';

// A command loads its own file when it runs: with all of them loaded, `--version` would take five times as long.
const administer = () => import('./administer.js');
const outboxCommands = () => import('./outbox.js');

/** A reader of the output may stop early: `hookwright key list | head -1`. */
const onOutputError = (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') {
    throw error;
  }
};
process.stdout.on('error', onOutputError);

async function serve(roles: Roles): Promise<void> {
  process.stdout.off('error', onOutputError); // the log looks to it itself
  await (await import('./serve.js')).serve(roles);
}

const EXAMPLES = `
Examples:
  ${thisProgram} start                               try it: with a Postgres of its own, all data in .data
  ${thisProgram} trigger coupon.applied              emit a sample event, in a second terminal of the same folder
  ${thisProgram} key create backend --tenant 1       make an API key`;

const program = new Command(thisProgram)
  .description('A multi-tenant webhook subscription and delivery service on Postgres alone.')
  .version(version)
  // One line: the whole help would push the error, and the suggestion in it, out of sight.
  .showHelpAfterError(`"${thisProgram} --help" lists all commands; --help after a command explains it.`)
  .addHelpText('after', EXAMPLES)
  .addHelpText('afterAll', '\nSettings are environment variables, such as PORT=3001: docs/settings.md');

const cellsOption = () =>
  new Option('--of <count>', 'how many cells ids can name, the same in all of them: 4, 8 or 16').argParser(
    positiveInteger,
  );

program
  .command('start')
  .description('API and delivery daemon in one process; with DATABASE_URL unset it brings its own Postgres')
  .action(() => serve({ api: true, daemon: true, migrate: true }));
program
  .command('api')
  .description('the API alone, over the Postgres of DATABASE_URL')
  .action(() => serve({ api: true, daemon: false, migrate: false }));
program
  .command('daemon')
  .description('the delivery daemon alone, over the Postgres of DATABASE_URL')
  .action(() => serve({ api: false, daemon: true, migrate: false }));
program
  .command('migrate')
  .description('bring the database to the newest schema')
  .option('--check', 'change nothing; exit with 2 when there is something to do')
  .addOption(
    new Option('--cell <number>', `make an empty database this cell, 1 to ${CELL_MAX} (docs/cells.md); with --of`)
      .argParser(positiveInteger)
      .conflicts('check'),
  )
  .addOption(cellsOption().conflicts('check'))
  .action(async (options) => (await import('./migrate.js')).migrateCommand(options));
program
  .command('cell')
  .description('this installation among others behind one address (docs/cells.md)')
  .command('enable')
  .description('make it cell 0, with all that it has; for ever, and before any other cell is made')
  .addOption(cellsOption().makeOptionMandatory())
  .action(async ({ of }) => (await import('./migrate.js')).enableCellCommand(of));
program
  .command('doctor')
  .description('look at settings, database and deliveries, and say what is wrong; changes nothing by itself')
  .option('--json', 'for machines')
  .option(
    '--repair',
    'first correct times in the future, which a wrong clock of Postgres has left, and ignored filters',
  )
  .action(async (options) => (await import('./doctor.js')).doctor(options));

const limitOption = (flags: string, text: string) => new Option(flags, text).argParser(limitNamed);

const THE_TENANT = 'the number of the tenant, or ext: and its external id';

const tenant = program.command('tenant').description('tenants of this installation');
tenant
  .command('create <name>')
  .description('make a tenant')
  .addOption(new Option('--external-id <id>', 'its id in another system').argParser(externalId))
  .action(async (name, options) => (await administer()).createTenantCommand(name, options));
tenant
  .command('list')
  .description('show all tenants')
  .action(async () => (await administer()).listTenants());
tenant
  .command('rename')
  .description('give a tenant another name')
  .argument('<id>', THE_TENANT, tenantNamed)
  .argument('<name>', 'the new name')
  .action(async (id, name) => (await administer()).renameTenant(id, name));
tenant
  .command('set')
  .description('change a tenant; what is not given stays')
  .argument('<id>', THE_TENANT, tenantNamed)
  .addOption(new Option('--external-id <id>', 'its id in another system').argParser(externalId))
  .option('--no-external-id', 'without such an id')
  .addOption(limitOption('--events-per-second <number>', 'the most events a second; none: as the installation'))
  .addOption(limitOption('--requests-per-second <number>', 'the most requests a second to all of its endpoints'))
  .addOption(limitOption('--requests-at-once <number>', 'the most requests at a time to all of its endpoints'))
  .addOption(limitOption('--endpoints-max <number>', 'the most webhooks'))
  .addOption(limitOption('--body-bytes-max <number>', 'the longest payload'))
  .option('--reason <text>', 'why it is limited, for its people to read')
  .action(async (id, options) => (await administer()).setTenant(id, options));
tenant
  .command('delete')
  .description('delete a tenant with its webhooks and keys; nothing of it is sent any more')
  .argument('<id>', THE_TENANT, tenantNamed)
  .argument('<name>', 'its name, so that no other one is deleted by mistake')
  .action(async (id, name) => (await administer()).deleteTenantCommand(id, name));

const moves = () => import('./move-tenant.js');
tenant
  .command('move')
  .description('move a tenant to another cell, with all that it has (docs/cells.md)')
  .argument('<id>', THE_TENANT, tenantNamed)
  .option('--to-url-file <file>', "a file with the other cell's DATABASE_URL, as the owner of its tables")
  .addOption(new Option('--resume', 'go on with a move whose command has ended').conflicts(['abort', 'forget']))
  .addOption(new Option('--abort', 'take back a move, and delete what was copied').conflicts('forget'))
  .option('--forget', 'erase now what a tenant that has moved has left here')
  .addOption(new Option('--keep <days>', 'how long that stays; default: 7').argParser(notNegative))
  .addOption(
    new Option('--closed-for <seconds>', 'allow that it takes no events for so long').argParser(positiveInteger),
  )
  .addOption(
    new Option('--rate <rows>', 'how many rows are copied a second while it is open').argParser(positiveInteger),
  )
  .option('--without-standby', 'do not wait until standbys have followed: a failover may then open it in both cells')
  .option('--route-command <command>', 'a shell command that gets the lines for the proxy on its standard input')
  .action(async (id, options) => (await moves()).moveTenantCommand(id, options));
tenant
  .command('route')
  .description('print where tenants are that do not live where their numbers say, as moved.map of the proxy has it')
  .action(async () => (await moves()).routeCommand());

const key = program.command('key').description('API keys');
key
  .command('create <name>')
  .description('make a key and print it: it is shown this once')
  .addOption(new Option('--tenant <id>', `whom the key is for: ${THE_TENANT}`).argParser(tenantNamed))
  .addOption(
    new Option(
      '--platform',
      'a platform key: may make tenants, and act for each of them, as far as its scopes reach',
    ).conflicts('tenant'),
  )
  .option(
    '--scopes <scopes>',
    `separated by commas; default: all (${SCOPES.join(', ')}), or ${PLATFORM_ADMIN} of ${PLATFORM_SCOPES.join(', ')}`,
  )
  .addOption(
    new Option(
      '--expires-in <seconds>',
      `${KEY_LIFETIME_SECONDS_MIN} to ${KEY_LIFETIME_SECONDS_MAX}, which is ten years; default: never`,
    ).argParser(positiveInteger),
  )
  .action(async (name, options) => (await administer()).createKey(name, options));
key
  .command('list')
  .description('show keys, without their secrets')
  .addOption(new Option('--tenant <id>', `only the keys of a tenant: ${THE_TENANT}`).argParser(tenantNamed))
  .addOption(new Option('--platform', 'only platform keys').conflicts('tenant'))
  .action(async (options) => (await administer()).listKeys(options));
key
  .command('revoke')
  .description(`refuse a key from now on; "${thisProgram} key list" shows the numbers`)
  .argument('<id>', 'the number of the key', positiveInteger)
  .action(async (id) => (await administer()).revokeKey(id));

key
  .command('copy')
  .description('write the row of a platform key into another cell, so that it works there too (docs/cells.md)')
  .argument('<id>', 'the number of the key', positiveInteger)
  .requiredOption('--to-url-file <file>', "a file with the other cell's DATABASE_URL, as the owner of its tables")
  .action(async (id, options) => (await import('./copy-key.js')).copyKeyCommand(id, options.toUrlFile));

const outbox = program
  .command('outbox')
  .description('database roles that emit inside their own transactions (docs/outbox.md)');
for (const [verb, description, action] of [
  ['grant', 'let a database role emit for a tenant', 'grantOutboxCommand'],
  ['revoke', 'take that away again', 'revokeOutboxCommand'],
] as const) {
  outbox
    .command(verb)
    .description(description)
    .argument('<role>', 'the role that the application logs in as')
    .addOption(new Option('--tenant <id>', THE_TENANT).argParser(tenantNamed).makeOptionMandatory())
    .action(async (role, options) => (await outboxCommands())[action](role, options));
}
outbox
  .command('list')
  .description('show which roles may emit for which tenants')
  .action(async () => (await outboxCommands()).listOutboxCommand());

const keys = program.command('keys').description('encryption keys (ENCRYPTION_KEYS)');
keys
  .command('rewrap')
  .description('protect all secrets with the first of ENCRYPTION_KEYS, so that the others can be removed')
  .action(async () => (await import('./rewrap.js')).rewrapKeys());
keys
  .command('give-up <kid>')
  .description(
    'for an encryption key that is lost and has no backup: give up the secrets it protects, so that all else works',
  )
  .option('--for-good', 'do it; default: say what would be lost')
  .action(async (kid, options) => (await import('./give-up.js')).giveUpKey(kid, options));

addDeveloperCommands(program);

/** Runs a command to its end. @returns whether it did its work; if not, standard error has the reason */
export async function runCommand(args: readonly string[]): Promise<boolean> {
  try {
    await program.parseAsync(args, { from: 'user' });
    return true;
  } catch (error) {
    // What went wrong, in a sentence; the stack only helps those who ask for it.
    const text = error instanceof Error ? (process.env['LOG_LEVEL'] === 'debug' ? error.stack : error.message) : error;
    process.stderr.write(`hookwright: ${text}\n`);
    return false;
  }
}
