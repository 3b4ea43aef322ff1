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
createPanel({ api: createApi({ origin: '', fetch: timed }), clock }).mount('#app');
