import type { Command } from 'commander';

/** @param connected adds the options of commands that talk to an API */
export function addTypesCommands(program: Command, connected: (command: Command) => Command): void {
  const types = program.command('types').description('event types: as TypeScript, and from files');
  connected(types.command('pull'))
    .description('print TypeScript types of all payloads, for producers and receivers')
    .action(async (options) => (await import('./pull.js')).pullTypes(options));
  connected(types.command('push <source>'))
    .description(
      'register and change event types as JSON Schemas of a folder have them, such as order.paid.json, or the webhooks of an OpenAPI document',
    )
    .option('--dry-run', 'show the differences and what they break, and push nothing')
    .option('--check', 'show the differences alone, and exit with 2 if there are any')
    .option('--release <name>', 'create a release of the versions that all types have then')
    .option('--yes', 'push without a question')
    .action(async (source, options) => (await import('./push.js')).pushTypes(source, options));
}
