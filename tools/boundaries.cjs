// Who may import whom: docs/working-here.md tells it in words.
// The paths have no anchor at the front, so that the planted violations in tools/fixtures meet the same rules.

const server = 'apps/server/src';
const modules = ['gateway', 'auth', 'agent', 'db', 'http'];
const doors = `${server}/doors/([^/]+)/`;
const appTs = `${server}/app\\.ts$`;
const ours = '(apps|packages)/';
const tests = '(\\.test\\.ts$|/test/)';

const rule = (name, comment, edge) => ({ name, comment, severity: 'error', ...edge });

/** Only files of the folder itself, and app.ts, look behind its front door. */
const frontDoor = (folder) =>
  rule(`front-door-${folder}`, `import ${folder} through its index.ts`, {
    from: { path: 'apps/', pathNot: [`${server}/${folder}/`, appTs, tests] },
    to: { path: `${server}/${folder}/`, pathNot: `${server}/${folder}/index\\.ts$` },
  });

module.exports = {
  forbidden: [
    rule('no-cycles', 'no circles', {
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    }),
    rule('resolves', 'every import is found', { from: { path: ours }, to: { couldNotResolve: true } }),
    rule('contracts-alone', 'contracts import nothing of ours', {
      from: { path: 'packages/contracts/src/' },
      to: { path: '(apps|packages|e2e|tools|bench)/', pathNot: ['packages/contracts/', 'node_modules/'] },
    }),
    rule('kit-alone', 'kit imports nothing of ours', {
      from: { path: 'packages/kit/src/' },
      to: { path: '(apps|packages|e2e|tools|bench)/', pathNot: ['packages/kit/', 'node_modules/'] },
    }),
    rule(
      'packages-front-door',
      'contracts and kit are imported through their index.ts, what needs Node through node.ts',
      {
        from: { pathNot: 'packages/' },
        to: {
          path: 'packages/(contracts|kit)/src/',
          pathNot: 'packages/(contracts/src/index|kit/src/(index|node))\\.ts$',
        },
      },
    ),
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
    rule('gateway-alone', 'the gateway knows contracts, kit, itself and the table of errors', {
      from: { path: `${server}/gateway/`, pathNot: ['store\\.ts$', tests] },
      to: {
        path: `${server}/`,
        pathNot: [`${server}/gateway/`, `${server}/errors\\.ts$`, `${server}/db/index\\.ts$`],
      },
    }),
    rule('db-for-stores', 'only a store.ts and app.ts touch the database', {
      from: { path: 'apps/', pathNot: [`${server}/db/`, 'store\\.ts$', appTs, tests] },
      to: { path: [`${server}/db/`, 'node_modules/(kysely|libsql|pg)/'], dependencyTypesNot: ['type-only'] },
    }),
    rule('doors-apart', 'a door knows the front doors of auth, gateway and agent, never another door', {
      from: { path: doors, pathNot: tests },
      to: { path: doors, pathNot: `${server}/doors/$1/` },
    }),
    rule('doors-front-only', 'a door knows no other module', {
      from: { path: doors, pathNot: tests },
      to: {
        path: `${server}/`,
        pathNot: [
          `${server}/(auth|gateway|agent|http)/index\\.ts$`,
          `${server}/errors\\.ts$`,
          `${server}/doors/$1/`,
        ],
      },
    }),
    rule('app-on-top', 'nothing imports the composition root but main.ts and tests', {
      from: { path: 'apps/server/', pathNot: [`${server}/main\\.ts$`, tests] },
      to: { path: appTs },
    }),
    ...modules.map(frontDoor),
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
