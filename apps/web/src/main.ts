import { systemClock } from '@drawbridge/kit';
import './app.css';
import { createApi } from './api/index.ts';
import { registerServiceWorker } from './features/notifications/service-worker.ts';
import { createPanel } from './panel.ts';

registerServiceWorker();
createPanel({ api: createApi({ origin: '' }), clock: systemClock }).mount('#app');
