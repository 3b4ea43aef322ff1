import ui from '@nuxt/ui/vue-plugin';
import { config } from '@vue/test-utils';
import { createMemoryHistory, createRouter } from 'vue-router';

export const router = createRouter({
  history: createMemoryHistory(),
  routes: [
    { path: '/machines/:machineId', component: {} },
    { path: '/:rest(.*)*', component: {} },
  ],
});

// `ui` brings the icons that are bundled; without them the icon part would ask a service on the network.
config.global.plugins = [router, ui];
