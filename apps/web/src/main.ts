import { systemClock } from '@drawbridge/kit';
import './app.css';
import { createApi } from './api/index.ts';
import { createPanel } from './panel.ts';

createPanel({ api: createApi({ origin: '' }), clock: systemClock }).mount('#app');
