import { type Command, Option } from 'commander';
import { DEFAULT_METHOD, DELIVERY_METHODS } from '../../domain/deliveries/delivery-method.js';
import { addImportCommands } from './import/add-import-commands.js';
import { collected } from './options/collected.js';
import { notNegative, positive, positiveInteger } from './options/numbers.js';
import { addTypesCommands } from './types/add-types-commands.js';

/** Every command that talks to an API has these: `findConnection` reads them. */
const reaching = (command: Command): Command =>
  command
    .option('--url <url>', 'where the service is; default: HOOKWRIGHT_URL, else the one of .data in this folder')
    .option('--key <key>', 'an API key; default: HOOKWRIGHT_API_KEY, else the one of .data');

/** The commands about one tenant have one more. */
const connected = (command: Command): Command =>
  reaching(command).option('--tenant <id>', 'the tenant, for a platform key: its id, or ext: and its external id');

/** The commands of developers of producers and receivers: over the API, never over the database. */
export function addDeveloperCommands(program: Command): void {
  program.commandsGroup('For developers, over the API (docs/developers.md):');
  connected(program.command('trigger <event>'))
    .description('emit an event with its sample payload, and say which webhook got it')
    .option('--set <path=value>', 'change a value of the payload, such as customer.name=Ada; repeatable', collected)
    .option('--payload <file>', 'the payload from a file, or from standard input (-), in place of the sample')
    .option('--count <number>', 'how many events', positiveInteger, 1)
    .option('--rate <number>', 'how many of them in a second', positive, 10)
    .option('--to <webhook>', 'a test for this webhook alone, such as wh_42, whatever it subscribes to')
    .option('--path <path>', 'with --to: an event for this webhook at a path below its URL (option callback)')
    .option('--previous <file>', 'the state before the change, from a file or from standard input (-)')
    .option('--wait <seconds>', 'how long to wait for the attempts', notNegative, 5)
    .action(async (event, options) => (await import('./trigger/trigger.js')).trigger(event, options));
  program
    .command('test-receiver <url>')
    .description('send good and bad deliveries to a receiver, and say what it does wrong')
    .option('--secret <secret>', 'the secret that the receiver has; default: WEBHOOK_SECRET')
    .addOption(
      new Option('--scheme <scheme>', 'the signature that it goes by: webhook-signature, or X-Service-Signature')
        .choices(['standard', 'contract'])
        .default('standard'),
    )
    .addOption(
      new Option('--method <method>', 'the method that its webhook has')
        .choices(Object.keys(DELIVERY_METHODS))
        .default(DEFAULT_METHOD),
    )
    .option('--event <type>', 'an event type that it handles', 'booking.created')
    .option('--payload <file>', 'a payload that it takes, from a file or from standard input (-)')
    .option('--effect-url <url>', 'answers with the number of deliveries that had an effect; for duplicates')
    .option('--header-prefix <prefix>', 'the HEADER_PREFIX of the service', 'X-Service')
    .option('--timeout <seconds>', 'how long an answer may take', positive, 15)
    .option('--json', 'for machines')
    .option('--junit <file>', 'write a JUnit report too')
    .action(async (url, options) => (await import('./test-receiver/test-receiver.js')).testReceiver(url, options));
  addTypesCommands(program, connected);
  addImportCommands(program, reaching);
}
