import { createMemoryHistory, createRouter } from 'vue-router';

/** The router of every mounted component; pages with parameters in their address have a route. */
export const router = createRouter({
  history: createMemoryHistory(),
  routes: [
    { path: '/inbox/:confirmationId?', component: {} },
    { path: '/machines/:machineId', component: {} },
    { path: '/:rest(.*)*', component: {} },
  ],
});
