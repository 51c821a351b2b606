/** Every page of docs/, by groups, as paths in docs/ without `.md`. Pages outside docs/ begin with `../`. */
export const groups: Record<string, readonly string[]> = {
  'Begin here': ['../README', 'concepts', 'install', 'deploy'],
  'Receive and send': [...['interface', 'options', 'event-types', 'notices', 'outbox'], 'examples/receivers/README'],
  'Dashboard and GraphQL': [
    ...['dashboard', 'examples/embedding/README', 'own-dashboard', 'graphql', 'graphql-examples', 'live-updates'],
    'graphql-reference',
  ],
  'Run it': ['settings', 'operate', 'troubleshoot', 'slots', 'performance', 'faults'],
  Security: ['security', '../SECURITY'],
  'The project': ['versions', '../CHANGELOG', '../CONTRIBUTING'],
};
