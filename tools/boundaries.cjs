// The import rules, explained in docs/working-here.md.
// The paths have no start anchor, so that the rules also match the planted violations in tools/fixtures.

const server = 'apps/server/src';
const modules =
  'gateway callers readers auth agent db http rpc nodes ops settings notify hooks secrets outside questions'.split(
    ' ',
  );
const doors = `${server}/doors/([^/]+)/`;
/** The composition root. */
const appTs = `${server}/(app\\.ts$|compose/)`;
const ours = '(apps|packages)/';
const tests = '(\\.test\\.ts$|/test/)';

const rule = (name, comment, edge) => ({ name, comment, severity: 'error', ...edge });

const daemon = 'apps/daemon/src';
/** The daemon's folders from the bottom up. A folder imports only from earlier rows. */
const daemonLayers = [
  ['text'],
  ['program'],
  ['processes'],
  ['private-files'],
  ['paths'],
  ['journal', 'kept', 'log'],
  ['permission'],
  ['tools/common'],
  ['tools/browser', 'tools/computer', 'tools/filesystem', 'tools/mcp', 'tools/shell', 'tools/system'],
  ['tools/runtimes'],
  ['tools'],
  ['link', 'workspace'],
  ['status', 'terminal', 'install', 'service'],
  ['doctor'],
  ['commands'],
];

const daemonLayer = (folder, below) => {
  const own = folder === 'tools' ? `${daemon}/tools/[^/]+$` : `${daemon}/${folder}/`;
  return rule(
    `daemon-${folder.replace('/', '-')}`,
    `${folder} imports from ${below.join(', ') || 'no other folder'}`,
    {
      from: { path: own, pathNot: tests },
      to: {
        path: `${daemon}/`,
        pathNot: [own, ...below.map((one) => `${daemon}/${one}/`), `${daemon}/config\\.ts$`],
      },
    },
  );
};

/** Only files of the folder itself, and the composition root, look behind its front door. */
const frontDoor = (folder) =>
  rule(`front-door-${folder}`, `import ${folder} through its index.ts or config-schema.ts`, {
    from: { path: 'apps/', pathNot: [`${server}/${folder}/`, appTs, tests] },
    to: { path: `${server}/${folder}/`, pathNot: `${server}/${folder}/(index|config-schema)\\.ts$` },
  });

/** Parts of a folder from the bottom to the top: none imports one above it. */
const layers = (name, base, parts) =>
  parts.slice(0, -1).map((part, at) =>
    rule(`${name}-layers`, `the layers of ${base}: ${parts.join(' < ')}`, {
      from: { path: base + part, pathNot: tests },
      to: { path: parts.slice(at + 1).map((upper) => base + upper) },
    }),
  );

const features = 'apps/web/src/features/';
/** The panel's features from the bottom up; those in one row are on one floor. */
const panelFloors = [
  ['session', 'calls', 'gateway'],
  ['machines'],
  ['confirmations'],
  ['tools', 'chat', 'tokens', 'rules', 'processes', 'runtimes', 'clients', 'hooks', 'channels'],
  ['activity', 'notifications', 'settings', 'agent-settings'],
  ['agents', 'inbox'],
  ['shell'],
];

module.exports = {
  forbidden: [
    rule('no-cycles', 'no circles, not even of types', { from: {}, to: { circular: true } }),
    rule('resolves', 'every import is found', { from: { path: ours }, to: { couldNotResolve: true } }),
    rule('contracts-alone', 'contracts import nothing of ours', {
      from: { path: 'packages/contracts/src/' },
      to: { path: '(apps|packages|e2e|tools|bench)/', pathNot: ['packages/contracts/', 'node_modules/'] },
    }),
    rule('kit-alone', 'kit imports nothing of ours', {
      from: { path: 'packages/kit/src/' },
      to: { path: '(apps|packages|e2e|tools|bench)/', pathNot: ['packages/kit/', 'node_modules/'] },
    }),
    rule('agent-alone', 'the core of the agent imports contracts and kit, and no framework', {
      from: { path: 'packages/agent/src/', pathNot: tests },
      to: {
        path: '(apps|packages|e2e|tools|bench)/|^node_modules/',
        pathNot: ['packages/(agent|contracts|kit)/src/', 'node_modules/.*(zod|secure-json-parse)'],
      },
    }),
    rule('agent-view-alone', 'the panel imports view/: it needs contracts alone', {
      from: { path: 'packages/agent/src/view/', pathNot: tests },
      to: { path: '(apps|packages)/', pathNot: ['packages/agent/src/view/', 'packages/contracts/src/'] },
    }),
    rule('packages-front-door', 'kit is imported through its index.ts, what needs Node through node.ts', {
      from: { pathNot: 'packages/' },
      to: {
        path: 'packages/kit/src/',
        pathNot: 'packages/kit/src/(index|node)\\.ts$',
      },
    }),
    rule('daemon-alone', 'the daemon knows contracts and kit', {
      from: { path: 'apps/daemon/' },
      to: { path: 'apps/(server|web)/', pathNot: 'node_modules/' },
    }),
    rule('server-alone', 'the server knows neither the daemon nor the panel', {
      from: { path: 'apps/server/' },
      to: { path: 'apps/(daemon|web)/', pathNot: 'node_modules/' },
    }),
    rule('web-alone', "the panel knows contracts, kit's clock and the type of the server's router", {
      from: { path: 'apps/web/' },
      to: {
        path: ['apps/(daemon|server)/', 'packages/kit/src/node\\.ts$'],
        pathNot: [`${server}/doors/trpc/index\\.ts$`, 'node_modules/'],
      },
    }),
    rule('web-types-only', "the panel takes the server's router with import type", {
      from: { path: 'apps/web/' },
      to: { path: 'apps/server/', dependencyTypesNot: ['type-only'], pathNot: 'node_modules/' },
    }),
    ...layers('panel', 'apps/web/src/', [
      'api/',
      'ui/',
      ...panelFloors.map((row) => `features/(${row.join('|')})/`),
      'pages/',
      '[^/]+$',
    ]),
    rule('panel-unlisted', 'a new feature of the panel gets a place in panelFloors', {
      from: { path: features, pathNot: [`${features}(${panelFloors.flat().join('|')})/`, tests] },
      to: {},
    }),
    rule(
      'gateway-alone',
      'the gateway knows contracts, kit, itself, the table of errors, how a setting is written and what a call touches',
      {
        from: { path: `${server}/gateway/`, pathNot: ['store\\.ts$', tests] },
        to: {
          path: `${server}/`,
          pathNot: [
            `${server}/gateway/`,
            `${server}/(errors|program/setting|subject/index)\\.ts$`,
            `${server}/db/index\\.ts$`,
          ],
        },
      },
    ),
    rule('db-for-stores', 'only a store.ts and the composition root touch the database', {
      from: { path: 'apps/', pathNot: [`${server}/db/`, `${server}/commands/`, 'store\\.ts$', appTs, tests] },
      to: {
        path: [`${server}/db/`, 'node_modules/(kysely|libsql|pg)/'],
        pathNot: `${server}/db/config-schema\\.ts$`,
        dependencyTypesNot: ['type-only'],
      },
    }),
    rule('doors-apart', 'a door never knows another door', {
      from: { path: doors, pathNot: tests },
      to: { path: doors, pathNot: `${server}/doors/$1/` },
    }),
    rule('doors-front-only', 'a door knows the front doors of the other modules but the database', {
      from: { path: doors, pathNot: tests },
      to: {
        path: `${server}/`,
        pathNot: [
          `${server}/(auth|callers|readers|gateway|agent|http|rpc|nodes|ops|settings|notify|hooks|channels|voice)/index\\.ts$`,
          `${server}/errors\\.ts$`,
          `${server}/doors/$1/`,
        ],
      },
    }),
    rule('channel-adapters-apart', "a platform's adapter knows the port and the formats of channels", {
      from: {
        path: `${server}/channels/(telegram|bluebubbles|google-chat|teams|gmail)/`,
        pathNot: tests,
      },
      to: {
        path: `${server}/`,
        pathNot: [
          `${server}/channels/(adapter|platform-fetch|google-calls)\\.ts$`,
          `${server}/channels/(format|$1)/`,
          `${server}/(outside|jwt)/index\\.ts$`,
        ],
      },
    }),
    rule('callers-alone', 'callers knows the gateway, and types of auth', {
      from: { path: `${server}/callers/`, pathNot: tests },
      to: {
        path: `${server}/`,
        pathNot: [`${server}/callers/`, `${server}/(gateway|auth)/index\\.ts$`, `${server}/errors\\.ts$`],
      },
    }),
    rule('readers-alone', 'readers knows the gateway, callers, and how what waits unread is counted', {
      from: { path: `${server}/readers/`, pathNot: tests },
      to: {
        path: `${server}/`,
        pathNot: [
          `${server}/readers/`,
          `${server}/(gateway|callers|http)/index\\.ts$`,
          `${server}/errors\\.ts$`,
        ],
      },
    }),
    rule('callers-auth-types', 'callers knows auth by its types alone', {
      from: { path: `${server}/callers/`, pathNot: tests },
      to: { path: `${server}/auth/`, dependencyTypesNot: ['type-only'] },
    }),
    ...layers('gateway', `${server}/gateway/`, [
      'cluster/',
      'settings/',
      'machines/',
      'pairing/',
      'connection/',
      'calls/',
      '(confirmations|idempotency|rules|retention)/',
      'manage/',
      'daemon/',
      'create-parts\\.ts$',
      'create-gateway\\.ts$',
    ]),
    rule('agent-context', 'only the engine sees all of the context: the others name what they use', {
      from: { path: 'packages/agent/src/', pathNot: ['packages/agent/src/engine/[^/]+$', tests] },
      to: { path: 'packages/agent/src/engine/context\\.ts$' },
    }),
    ...layers('agent', 'packages/agent/src/', [
      'rows/',
      'ports/',
      'prompt/',
      'memory/',
      'tools/common/',
      'tools/plans/',
      'tools/outside/',
      'tools/core/',
      'tools/[^/]+$',
      'machines/',
      'turns/[^/]+$',
      'turns/ends/',
      'turns/(plans|runs|steps)/',
      'turns/lanes/',
      'engine/lanes/',
      'engine/[^/]+$',
      'api/threads/',
      'api/commands/',
      'api/lanes/',
      'api/[^/]+$',
    ]),
    ...layers('mcp', `${server}/doors/mcp/`, [
      'tools',
      'elicitation',
      '(fast-path|sdk)',
      'transport',
      'door\\.ts$',
    ]),
    rule('mcp-ways-apart', 'the short way and the way of the SDK do not know each other', {
      from: { path: `${server}/doors/mcp/(fast-path|sdk)/`, pathNot: tests },
      to: { path: `${server}/doors/mcp/(fast-path|sdk)/`, pathNot: `${server}/doors/mcp/$1/` },
    }),
    rule('ground-floor', 'secrets, outside and program know no other folder of the server', {
      from: { path: `${server}/(secrets|outside|program)/`, pathNot: tests },
      to: { path: `${server}/`, pathNot: `${server}/$1/` },
    }),
    rule('other-hosts', 'only outside makes connections of its own to other hosts', {
      from: { path: `${server}/`, pathNot: [`${server}/outside/`, tests] },
      to: { path: 'node_modules/undici/', dependencyTypesNot: ['type-only'] },
    }),
    rule('rpc-alone', 'rpc knows http and the table of errors', {
      from: { path: `${server}/rpc/`, pathNot: tests },
      to: {
        path: `${server}/`,
        pathNot: [`${server}/rpc/`, `${server}/http/index\\.ts$`, `${server}/errors\\.ts$`],
      },
    }),
    rule('app-on-top', 'nothing imports the composition root but what starts it and tests', {
      from: { path: 'apps/server/', pathNot: [`${server}/serve\\.ts$`, appTs, `${server}/commands/`, tests] },
      to: { path: appTs },
    }),
    ...modules.map(frontDoor),
    ...daemonLayers.flatMap((row, at) =>
      row.map((folder) => daemonLayer(folder, daemonLayers.slice(0, at).flat())),
    ),
    rule('daemon-unlisted', 'a new folder of the daemon gets a row in daemonLayers', {
      from: {
        path: `${daemon}/([^/]+/)`,
        pathNot: daemonLayers.flat().map((folder) => `${daemon}/${folder}/`),
      },
      to: {},
    }),
    rule('daemon-without-e2e', 'nothing but a test imports e2e', {
      from: { path: `${daemon}/`, pathNot: tests },
      to: { path: 'e2e/', pathNot: 'node_modules/' },
    }),
    rule('no-tests-in-code', 'code does not import tests', {
      from: { path: ours, pathNot: tests },
      to: { path: tests, pathNot: 'node_modules/' },
    }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|\\.nuxt)/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'node', 'default'],
      extensions: ['.ts', '.vue', '.js', '.cjs', '.mjs', '.d.ts'],
    },
  },
};
