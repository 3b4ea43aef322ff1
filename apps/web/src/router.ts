import type { App } from 'vue';
import { createRouter, createWebHistory, type Router } from 'vue-router';
import { useSessionStore } from './features/account/use-session-store.ts';

declare module 'vue-router' {
  interface RouteMeta {
    /** The page's name in the document title. */
    title?: string;
    /** For users who are not signed in. */
    open?: boolean;
    /** An open page for signed-in users too. */
    always?: boolean;
    /** The page shows one question, so the tray is hidden. */
    showsQuestion?: boolean;
    /** The page uses the whole width, with its own controls at the bottom. */
    fills?: boolean;
  }
}

/** The panel's routes. Redirects users who are not signed in to the matching page. */
export const createPanelRouter = (app: App): Router => {
  const router = createRouter({
    history: createWebHistory(),
    routes: [
      {
        path: '/setup',
        component: () => import('./pages/setup-page.vue'),
        meta: { open: true },
      },
      {
        path: '/sign-in',
        component: () => import('./pages/sign-in-page.vue'),
        meta: { open: true },
      },
      {
        path: '/invitation',
        component: () => import('./pages/invitation-page.vue'),
        meta: { open: true },
      },
      {
        path: '/reset-password',
        component: () => import('./pages/reset-password-page.vue'),
        meta: { open: true, always: true },
      },
      {
        path: '/connect-client',
        component: () => import('./pages/connect-client-page.vue'),
      },
      {
        path: '/unreachable',
        component: () => import('./pages/unreachable-page.vue'),
        meta: { open: true },
      },
      {
        path: '/',
        component: () => import('./features/shell/app-shell.vue'),
        children: [
          { path: '', component: () => import('./pages/machine-page.vue'), meta: { title: 'Machine' } },
          {
            path: 'chat/:threadId?',
            component: () => import('./pages/chat-page.vue'),
            meta: { title: 'Chat', fills: true },
          },
          { path: 'tools', component: () => import('./pages/tools-page.vue'), meta: { title: 'Tools' } },
          {
            path: 'activity/:requestId?',
            component: () => import('./pages/activity-page.vue'),
            meta: { title: 'Activity' },
          },
          {
            path: 'confirmations/:confirmationId',
            component: () => import('./pages/question-page.vue'),
            props: true,
            meta: { title: 'Question', showsQuestion: true },
          },
          {
            path: 'agents',
            component: () => import('./pages/agents-page.vue'),
            meta: { title: 'Connect an agent' },
          },
          {
            path: 'settings',
            component: () => import('./pages/settings/settings-page.vue'),
            meta: { title: 'Settings' },
          },
          {
            path: 'settings/tokens',
            component: () => import('./pages/settings/tokens-page.vue'),
            meta: { title: 'Access tokens' },
          },
          {
            path: 'settings/clients',
            component: () => import('./pages/settings/clients-page.vue'),
            meta: { title: 'Connected clients' },
          },
          {
            path: ':rest(.*)',
            component: () => import('./pages/missing-page.vue'),
            meta: { title: 'Not found' },
          },
        ],
      },
    ],
    scrollBehavior: (to, from, saved) => {
      if (saved || to.hash !== '') return saved ?? { el: to.hash };
      return to.path.split('/')[1] === from.path.split('/')[1] ? false : { top: 0 };
    },
  });

  router.beforeEach(async (to) => {
    const store = app.runWithContext(() => useSessionStore());
    if (store.session.kind === 'unknown' || store.session.kind === 'unreachable') await store.load();
    const { session } = store;
    switch (session.kind) {
      case 'unknown':
      case 'unreachable':
        return to.path === '/unreachable' ? true : { path: '/unreachable', query: { next: to.fullPath } };
      case 'set-up-needed':
        return to.path === '/setup' ? true : '/setup';
      case 'signed-out':
        if (to.meta.open === true && to.path !== '/setup' && to.path !== '/unreachable') return true;
        return to.path === '/' || to.meta.open === true
          ? '/sign-in'
          : { path: '/sign-in', query: { next: to.fullPath } };
      case 'signed-in':
        return to.meta.open === true && to.meta.always !== true ? '/' : true;
      default:
        session satisfies never;
    }
  });
  return router;
};
