/** Every page of docs/, by groups, as paths in docs/ without `.md`. Pages outside docs/ begin with `../`. */
export const groups: Record<string, readonly string[]> = {
  'Begin here': ['../README', 'concepts', 'install', '../charts/hookwright/README', 'deploy'],
  'Receive and send': [
    ...['receive', 'signatures', 'verify/frameworks', 'verify/README', '../examples/README', 'outage'],
    ...['produce', '../examples/producer/README', 'developers', 'interface', 'options', 'content', 'ordering'],
    ...['event-types', 'notices', 'outbox', 'scheduled', 'external-ids', 'tenant-limits'],
  ],
  'Moving in': ['from-your-own', 'from-svix', 'from-convoy', 'from-outpost'],
  'Dashboard and GraphQL': [
    ...['dashboard', '../examples/embedding/README', 'own-dashboard', 'graphql', 'graphql-examples', 'live-updates'],
    'graphql-reference',
  ],
  'Run it': [
    ...['settings', 'operate', 'sizing', 'cells', 'troubleshoot', '../ops/patroni/README', 'slots', 'performance'],
    'faults',
  ],
  Security: ['security', 'personal-data', '../SECURITY'],
  'The project': ['versions', '../CHANGELOG', '../CONTRIBUTING'],
};
