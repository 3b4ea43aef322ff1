import { defineConfig, type UserConfig } from 'tsdown';
import { shortCode } from '../../tools/short-code.ts';
import { thirdPartyNotices } from '../../tools/third-party-notices.ts';
import manifest from './package.json' with { type: 'json' };
import { describeAtBuild } from './describe-at-build.ts';
import { noticesFile, pack } from './pack.ts';

/** Tools are loaded when a session is open. `programs` is needed at the start. */
const late =
  /[\\/]src[\\/](paths|tools[\\/](browser|computer|filesystem|shell|common[\\/](access|egress|network)))[\\/.](?!programs)/;
/** Loaded where a coding agent is enabled. */
const runtimes = /[\\/]src[\\/]tools[\\/]runtimes[\\/]/;
/**
 * Modules of the start that lazy parts need too, in one file: each further file costs about 1 ms.
 * `mcp/calls` would bring the schemas of MCP with it, `tui` WebSockets with TLS and compression.
 * `contracts/rpc` is for the chat alone.
 */
const shared =
  /[\\/](packages|zod|nanoid|write-file-atomic|fast-wrap-ansi|fast-string-[a-z-]+|daemon[\\/]src)[\\/](?!tools[\\/]mcp[\\/]calls|commands[\\/]tui|contracts[\\/]src[\\/]rpc)/;

/** A file of their own: what Node allocates to compile the largest file is not given back to the system. */
const libraries = /[\\/](node_modules[\\/](zod|commander)|packages[\\/](contracts|kit))[\\/](?!src[\\/]rpc)/;

/** On before anything large is loaded, which it is for. */
const compileCache = /[\\/]program[\\/](compile-cache|is-private|node-version|places)\./;

const outside = [...manifest.packed.dependencies, ...manifest.packed.optionalDependencies];

const common = {
  // CommonJS makes a start a twentieth faster than ESM.
  format: 'cjs',
  platform: 'node',
  target: 'node22.13',
  // write-file-atomic names its temporary files after __filename.
  shims: true,
  outExtensions: () => ({ js: '.cjs' }),
  minify: shortCode.minify,
  dts: false,
} satisfies UserConfig;

const program = defineConfig({
  ...common,
  // The second is a process of its own: what speaks with a display can end without warning.
  entry: { cli: 'src/cli.ts', 'computer-device': 'src/tools/computer/device.ts' },
  outputOptions: {
    codeSplitting: {
      groups: [
        { name: 'compile-cache', test: compileCache, priority: 4 },
        { name: 'libraries', test: libraries, minShareCount: 2, priority: 3 },
        {
          name: 'shared',
          test: (id) => shared.test(id) && !late.test(id) && !runtimes.test(id),
          minShareCount: 2,
          priority: 2,
        },
        { name: 'late', test: late, minShareCount: 2, priority: 1 },
        { name: 'runtimes', test: runtimes, minShareCount: 2 },
      ],
    },
  },
  // Everything goes in but the dependencies, which carry a binary for each system.
  deps: {
    alwaysBundle: new RegExp(`^(?!(${outside.join('|')})(/|$)|node:)`),
    neverBundle: new RegExp(`^(${outside.join('|')})(/|$)`),
    onlyBundle: false,
  },
  plugins: [describeAtBuild, ...shortCode.plugins, thirdPartyNotices({ fileName: noticesFile })],
  hooks: { 'build:done': () => pack(import.meta.dirname) },
});

/** What runs in a workspace of the server: one file, which the server mounts; it is not packed. */
const workspace = defineConfig({
  ...common,
  entry: { workspace: 'src/workspace/main.ts' },
  outDir: 'dist/workspace',
  outputOptions: { codeSplitting: false },
  deps: { alwaysBundle: [/./], onlyBundle: false },
  plugins: [...shortCode.plugins, thirdPartyNotices({ fileName: noticesFile })],
});

export default [program, workspace];
