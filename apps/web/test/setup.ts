import ui from '@nuxt/ui/vue-plugin';
import { config } from '@vue/test-utils';
import { router } from './router.ts';

// `ui` brings the icons that are bundled; without them the icon part would ask a service on the network.
config.global.plugins = [router, ui];
