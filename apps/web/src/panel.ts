import type { Clock } from '@drawbridge/kit';
import ui from '@nuxt/ui/vue-plugin';
import { createPinia } from 'pinia';
import { createApp, type App } from 'vue';
import { apiKey, clockKey, type Api } from './api/index.ts';
import PanelApp from './panel-app.vue';
import { createPanelRouter } from './router.ts';
import { applyAppearance } from './ui/window/appearance.ts';

interface Needs {
  api: Api;
  clock: Clock;
}

/** The whole panel, ready to mount. */
export const createPanel = ({ api, clock }: Needs): App => {
  applyAppearance();
  const app = createApp(PanelApp);
  app.provide(apiKey, api);
  app.provide(clockKey, clock);
  app.use(createPinia());
  app.use(createPanelRouter(app));
  app.use(ui);
  return app;
};
