import type { App } from 'vue';
import {
  createRouter,
  createWebHistory,
  type RouteComponent,
  type RouteMeta,
  type Router,
  type RouteRecordRaw,
} from 'vue-router';
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

type Load = () => Promise<RouteComponent>;

const page = (path: string, component: Load, meta: RouteMeta) => ({ path, component, meta });

/** The pages inside the shell, for users who are signed in. */
const shellPages: RouteRecordRaw[] = [
  page('', () => import('./pages/machine-page.vue'), { title: 'Machine' }),
  page('chat/:threadId?', () => import('./pages/chat-page.vue'), { title: 'Chat', fills: true }),
  page('tools', () => import('./pages/tools-page.vue'), { title: 'Tools' }),
  page('activity/:requestId?', () => import('./pages/activity-page.vue'), { title: 'Activity' }),
  {
    ...page('confirmations/:confirmationId', () => import('./pages/question-page.vue'), {
      title: 'Question',
      showsQuestion: true,
    }),
    props: true,
  },
  page('agents', () => import('./pages/agents-page.vue'), { title: 'Connect an agent' }),
  page('settings', () => import('./pages/settings/settings-page.vue'), { title: 'Settings' }),
  page('settings/tokens', () => import('./pages/settings/tokens-page.vue'), { title: 'Access tokens' }),
  page('settings/clients', () => import('./pages/settings/clients-page.vue'), { title: 'Connected clients' }),
  page(':rest(.*)', () => import('./pages/missing-page.vue'), { title: 'Not found' }),
];

const routes: RouteRecordRaw[] = [
  page('/setup', () => import('./pages/setup-page.vue'), { open: true }),
  page('/sign-in', () => import('./pages/sign-in-page.vue'), { open: true }),
  page('/invitation', () => import('./pages/invitation-page.vue'), { open: true }),
  page('/reset-password', () => import('./pages/reset-password-page.vue'), { open: true, always: true }),
  page('/connect-client', () => import('./pages/connect-client-page.vue'), {}),
  page('/unreachable', () => import('./pages/unreachable-page.vue'), { open: true }),
  { path: '/', component: () => import('./features/shell/app-shell.vue'), children: shellPages },
];

/** The panel's routes. Redirects users who are not signed in to the matching page. */
export const createPanelRouter = (app: App): Router => {
  const router = createRouter({
    history: createWebHistory(),
    routes,
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
