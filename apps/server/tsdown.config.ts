import { readFileSync } from 'node:fs';
import { defineConfig, type Rolldown } from 'tsdown';
import { shortCode } from '../../tools/short-code.ts';
import { thirdPartyNotices } from '../../tools/third-party-notices.ts';

/** A binary, and what loads files of its own while it runs. */
const outside = ['libsql', 'fastify', '@fastify/static', 'pino'];

/** What `pg` would load where it is installed, which it is not. */
const absent = ['pg-native', 'pg-cloudflare', 'cloudflare:sockets'];

/** The package of the same repository that brings the text of its licence. */
const aiSdkLicense = readFileSync(new URL('node_modules/@ai-sdk/provider/LICENSE', import.meta.url), 'utf8');

/** Packages that bring no file of their licence; these are of their repositories and manuals. */
const given = Object.fromEntries(
  ['http_ece', 'pg-types', 'pgpass'].map((name) => [
    name,
    readFileSync(new URL(`licences/${name}.txt`, import.meta.url), 'utf8'),
  ]),
);

/** Its CommonJS build has variables with the names of the bundler's own wrappers, so its ES build is used. */
const conventionsAsModules: Rolldown.Plugin = {
  name: 'conventions-as-modules',
  resolveId: {
    filter: { id: /^@opentelemetry\/semantic-conventions$/ },
    handler(id, importer) {
      return this.resolve(id, importer, { kind: 'import-statement', skipSelf: true });
    },
  },
};

export default defineConfig({
  // The worker is started by its file.
  entry: { main: 'src/main.ts', 'extract-worker': 'src/agent/web/extract-worker.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node22.13',
  outDir: 'dist',
  fixedExtension: false,
  // A start takes less than half the time when Node need not look for a thousand files.
  deps: {
    alwaysBundle: new RegExp(`^(?!(${[...outside, ...absent].join('|')})(/|$)|node:)`),
    neverBundle: new RegExp(`^(${[...outside, ...absent].join('|')})(/|$)`),
    onlyBundle: false,
  },
  minify: shortCode.minify,
  clean: true,
  dts: false,
  plugins: [
    conventionsAsModules,
    ...shortCode.plugins,
    thirdPartyNotices({
      fileName: 'third-party-notices.txt',
      texts: { '@ai-sdk/provider-utils': aiSdkLicense, ...given },
    }),
  ],
});
