// The import rules of the tree. Type imports count like any other unless a rule says otherwise.

/** From top to bottom: a folder imports itself and those below it. */
const LAYERS = ['(api|ingest|delivery)', 'jobs', 'catalog', 'media', 'ports', 'lib'];

/** Tests may reach across: they start what they test. */
const TEST = '\\.test\\.ts$';

const COMPOSE = '^src/compose(\\.ts$|/)';

const layerRules = LAYERS.flatMap((layer, index) => {
  const above = LAYERS.slice(0, index);
  return above.length === 0
    ? []
    : [
        {
          name: `layers-${layer}`,
          comment: `${layer} imports its own folder and lower ones, never ${above.join(', ')}.`,
          severity: 'error',
          from: { path: `^src/${layer}/`, pathNot: TEST },
          to: { path: `^src/(${above.join('|')})/` },
        },
      ];
});

/**
 * The rooms of a folder, from top to bottom: a room imports itself and those after it, so that no two import each
 * other. (`src/api` has a stricter rule of its own.)
 */
const ROOMS = {
  'src/adapters': 'drm-key-source geo language-model licence-proxy storage transcriber voice-detector sherpa',
  'src/catalog':
    'audit audio-tracks backup bulk exports feeds imports compose installation on-demand merge migrations orphans playlists viewers publications ' +
    'drm live shield pull-zones speech captions spoken system uploads comments shares videos collections smart lifecycle images ' +
    'renditions scrub tasks quotas webhooks notifications leases libraries people keys statistics',
  'src/catalog/live': 'viewing publishing streams recording',
  'src/catalog/shield': 'events admission firewall',
  'src/catalog/statistics': 'reports visits sums sessions',
  'src/cli': 'backup mcp client rewrite supervisor',
  'src/delivery':
    'share images files live dash hls on-demand mp4 player drm shield http objects traffic beacons receive cache ' +
    'clients',
  'src/ingest': 'live rtmp srt tus whip',
  'src/jobs':
    'housekeeping exports imports uploads compose planning smart speech on-demand images encode notifications webhooks store queue',
  'src/media':
    'on-demand compose rtp mpegts live transcript images encode dash hls drm speech captions mp4 pass-through ' +
    'presentation cmaf timeline probe ffmpeg nal bmff',
  'src/media/drm': 'signalling encryption subsamples keys',
  'src/media/live': 'playlist ladder publishing packaging flv matroska tracks recording',
  'web/dashboard':
    'shell people collections events imports libraries library live reference styles system video statistics videos uploads ' +
    'parts base languages',
  'web/player': 'share ads cast playlist embed engine line languages notice transcript bar menu captions base',
};

const roomRules = Object.entries(ROOMS).flatMap(([folder, rooms]) => [
  ...rooms.split(' ').map((room, index, all) => ({
    name: `rooms-${folder}-${room}`,
    comment: `${folder}/${room} imports itself and the rooms after it in the list ROOMS.`,
    severity: 'error',
    from: { path: `^${folder}/${room}/`, pathNot: TEST },
    to: { path: `^${folder}/[^/]+/`, pathNot: `^${folder}/(${all.slice(index).join('|')})/` },
  })),
  {
    name: `rooms-${folder}`,
    comment: `A new room of ${folder} takes its place in the list ROOMS.`,
    severity: 'error',
    from: { path: `^${folder}/[^/]+/`, pathNot: [TEST, `^${folder}/(${rooms.replaceAll(' ', '|')})/`] },
    to: { path: `^${folder}/` },
  },
]);

/** What reaches disk, network or other processes. */
const OUTSIDE_WORLD =
  '^(node:)?(fs|fs/promises|net|tls|dgram|dns|dns/promises|http|https|http2|child_process|cluster|worker_threads)$' +
  '|^(undici|fastify|pg|pg-boss|kysely)$|node_modules/(undici|fastify|pg|pg-boss|kysely|@aws-sdk|@tus)/';

const SQL = '^(pg|kysely)$|node_modules/(@types/)?(pg|kysely)/';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'No import cycles, those of types included.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolved',
      comment: 'An import must lead somewhere: one that does not escapes every other rule.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    ...layerRules,
    {
      name: 'edges-apart',
      comment: 'The three edges never import each other.',
      severity: 'error',
      from: { path: '^src/(api|ingest|delivery)/', pathNot: TEST },
      to: { path: '^src/(api|ingest|delivery)/', pathNot: '^src/$1/' },
    },
    {
      name: 'api-resources-apart',
      comment:
        'Two resources of api/ never import each other; they share models/, and only operations.ts lists them all.',
      severity: 'error',
      from: { path: '^src/api/([^/]+)/', pathNot: TEST },
      to: { path: '^src/api/[^/]+/', pathNot: ['^src/api/$1/', '^src/api/models/'] },
    },
    {
      name: 'adapters-see-ports-and-lib',
      severity: 'error',
      from: { path: '^src/adapters/', pathNot: TEST },
      to: { path: '^src/', pathNot: '^src/(adapters|ports|lib)/' },
    },
    {
      name: 'adapters-seen-by-compose',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/adapters/', COMPOSE, TEST] },
      to: { path: '^src/adapters/' },
    },
    {
      name: 'settings-seen-by-the-top',
      comment: 'Only compose.ts, cli/, service/ and config/ see the settings; everyone else is handed what it needs.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/(config|cli|service)/', COMPOSE, TEST] },
      to: { path: '^src/config/' },
    },
    {
      name: 'settings-see-lib',
      severity: 'error',
      from: { path: '^src/config/', pathNot: TEST },
      to: { path: '^src/', pathNot: '^src/(config|lib)/' },
    },
    {
      name: 'top-seen-by-itself',
      comment: 'cli/, compose.ts and service/ are the top, in this order: nothing below imports them.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/(cli|service)/', COMPOSE, TEST] },
      to: { path: ['^src/(cli|service)/', COMPOSE] },
    },
    {
      name: 'client-without-service',
      comment: 'The published command line runs on Node 20 and has no code of the API. The SDK describes the operations.',
      severity: 'error',
      from: { path: '^src/cli/client/', pathNot: TEST },
      to: { path: '^src/api/', pathNot: '^src/api/models/enums\\.ts$' },
    },
    {
      name: 'cli-over-compose',
      severity: 'error',
      from: { path: COMPOSE, pathNot: TEST },
      to: { path: '^src/cli/' },
    },
    {
      name: 'compose-over-service',
      severity: 'error',
      from: { path: '^src/service/', pathNot: TEST },
      to: { path: ['^src/cli/', COMPOSE] },
    },
    {
      name: 'media-plans',
      comment: 'In media/ only run-* and read-* touch disk, network or processes.',
      severity: 'error',
      from: { path: '^src/media/', pathNot: ['/(run|read)-[^/]+\\.ts$', TEST] },
      to: { path: OUTSIDE_WORLD },
    },
    {
      name: 'sql-in-stores',
      comment:
        'SQL is spoken by *-store.ts, migrations, db.ts and what stands beside it in catalog/, by the queue that ' +
        'stands on it, by adapters named postgres*, and by the supervisor of the database.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/catalog/.*store\\.ts$',
          '^src/catalog/.*-schema\\.ts$',
          '^src/catalog/(db|schema|in-transaction|prepared)\\.ts$',
          '^src/jobs/queue/queue\\.ts$',
          '^src/catalog/migrations/',
          '^src/adapters/[^/]+/postgres',
          '^src/cli/supervisor/',
          TEST,
        ],
      },
      to: { path: SQL },
    },
    ...roomRules,
    {
      name: 'web-takes-types',
      comment: 'web/ takes types from src/, never code.',
      severity: 'error',
      from: { path: '^web/' },
      to: { path: '^src/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'product-without-tests',
      comment: 'Nothing that is shipped imports tests, benchmarks or the browser code.',
      severity: 'error',
      from: { path: '^(src|bin)/', pathNot: TEST },
      to: { path: '^(test|bench|scripts|web)/' },
    },
    {
      name: 'no-development-packages',
      comment: 'What is shipped imports no development dependency: `npm ci --omit=dev` must be enough.',
      severity: 'error',
      from: { path: '^(src|bin)/', pathNot: TEST },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    // Not every dist/: an excluded package would escape the rules about it.
    exclude: { path: ['^test/house/violations/', '^web/.*/dist/', '^sdk/dist/'] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
