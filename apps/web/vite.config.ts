import ui from '@nuxt/ui/vite';
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';

const server = 'http://127.0.0.1:5820';

export default defineConfig({
  plugins: [
    vue(),
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
      },
    }),
  ],
  build: { target: 'es2022', reportCompressedSize: false },
  server: { proxy: { '/trpc': server, '/api': server } },
});
