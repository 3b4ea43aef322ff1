import { systemClock } from '@drawbridge/kit';
import './app.css';
import { createApi, createServerClock } from './api/index.ts';
import { registerServiceWorker } from './features/notifications/service-worker.ts';
import { createPanel } from './panel.ts';

registerServiceWorker();
const { clock, learn } = createServerClock(systemClock);
const timed: typeof fetch = async (...request) => {
  const answer = await fetch(...request);
  learn(answer);
  return answer;
};
const panel = createPanel({ api: createApi({ origin: '', fetch: timed }), clock });
// The shell of index.html stands until the first page is here, or cannot be loaded.
const mount = () => void panel.mount('#app');
panel.config.globalProperties.$router.isReady().then(mount, mount);
