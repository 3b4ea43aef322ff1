import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ui from '@nuxt/ui/vite';
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';
import { devServer } from './dev-server.ts';
import { firstPage } from './first-page.ts';
import { pureContracts } from './pure-contracts.ts';
import { precompress } from '../../tools/precompress.ts';
import { shellFiles, stylesLast } from './shell-files.ts';
import { thirdPartyNotices } from '../../tools/third-party-notices.ts';

// Set by tools/run/dev.mjs.
const { DEV_PORT = '5173', DEV_SERVER = 'http://127.0.0.1:5820' } = process.env;

/** Styles and icons go in without being modules. */
const also = ['tailwindcss', '@iconify-json/lucide'].map((name) =>
  join(import.meta.dirname, 'node_modules', name),
);
const lucide = readFileSync(join(import.meta.dirname, 'lucide-licence.txt'), 'utf8');
const notices = thirdPartyNotices({
  fileName: 'third-party-notices.txt',
  also,
  texts: { '@iconify-json/lucide': lucide },
});

/** Before zod's own code: it would try to compile a function, which the page's policy refuses and reports. */
const banner = ({ moduleIds }: { moduleIds: readonly string[] }): string =>
  moduleIds.some((id) => id.includes('/zod/')) ? 'globalThis.__zod_globalConfig={jitless:true};' : '';

/** What the pages before signing in share comes in one file. */
const entryPages = {
  name: 'entry',
  test: /\/(entry-frame\.vue|text-field\.vue|next-path\.ts)/,
  includeDependenciesRecursively: false,
};

export default defineConfig({
  plugins: [
    vue(),
    pureContracts(),
    ui({
      autoImport: false,
      components: false,
      colorMode: false,
      dts: false,
      // Icons are read from the installed set at build time: the panel asks no icon service.
      icon: { clientBundle: { scan: { globInclude: ['src/**/*.{vue,ts}'] } } },
      theme: { colors: ['primary', 'success', 'warning', 'error'] },
      ui: {
        colors: { primary: 'harbor', neutral: 'stone', success: 'emerald', warning: 'amber', error: 'red' },
        // A finger needs 44 px. What is not active is grey.
        button: {
          slots: {
            base: 'max-lg:min-h-11 disabled:opacity-60 disabled:saturate-0 aria-disabled:opacity-60 aria-disabled:saturate-0',
          },
          variants: { square: { true: 'max-lg:min-w-11 max-lg:justify-center' } },
        },
        // In the middle of a header of 64 px.
        slideover: { slots: { close: 'max-lg:top-2.5' } },
        modal: { slots: { close: 'max-lg:top-2.5' } },
        input: { slots: { base: 'max-lg:min-h-11' } },
        select: { slots: { base: 'max-lg:min-h-11' } },
        chatTool: { slots: { trigger: 'max-lg:min-h-11' } },
        switch: { slots: { base: 'max-lg:after:absolute max-lg:after:-inset-x-1 max-lg:after:-inset-y-3' } },
        checkbox: { slots: { base: 'relative max-lg:after:absolute max-lg:after:-inset-3.5' } },
        radioGroup: { slots: { base: 'relative max-lg:after:absolute max-lg:after:-inset-3.5' } },
      },
    }),
    notices,
    shellFiles(),
    stylesLast(),
    precompress(),
  ],
  build: {
    target: 'es2022',
    reportCompressedSize: false,
    rolldownOptions: {
      input: { index: 'index.html', 'service-worker': 'src/service-worker/worker.ts' },
      output: {
        codeSplitting: { groups: [firstPage(), entryPages] },
        banner,
        // Its address decides which pages it serves, and stays the same.
        entryFileNames: ({ name }) => (name === 'service-worker' ? '[name].js' : 'assets/[name]-[hash].js'),
      },
    },
  },
  server: devServer({ port: Number(DEV_PORT), server: DEV_SERVER }),
});
