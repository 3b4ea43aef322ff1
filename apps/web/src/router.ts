import type { App } from 'vue';
import {
  createRouter,
  createWebHistory,
  type RouteComponent,
  type RouteMeta,
  type Router,
  type RouteRecordRaw,
} from 'vue-router';
import { useMachinesStore } from './features/machines/use-machines-store.ts';
import { useSessionStore } from './features/session/use-session-store.ts';

declare module 'vue-router' {
  interface RouteMeta {
    /** The page's name in the document title. */
    title?: string;
    /** For users who are not signed in. */
    open?: boolean;
    /** An open page for signed-in users too. */
    always?: boolean;
    /** The page shows the open questions itself, so the strip is hidden. */
    showsQuestions?: boolean;
    /** The page uses the whole width and scrolls inside itself. */
    fills?: boolean;
  }
}

type Load = () => Promise<RouteComponent>;

const page = (path: string, component: Load, meta: RouteMeta) => ({ path, component, meta });

/** The pages inside the shell, for users who are signed in. */
const shellPages: RouteRecordRaw[] = [
  { path: '', redirect: '/inbox' },
  page('inbox/:confirmationId?', () => import('./pages/inbox-page.vue'), {
    title: 'Inbox',
    showsQuestions: true,
    fills: true,
  }),
  page('chat/:threadId?', () => import('./pages/chat-page.vue'), { title: 'Chat', fills: true }),
  page('activity/:requestId?', () => import('./pages/activity-page.vue'), { title: 'Activity', fills: true }),
  page('machines', () => import('./pages/machines/machines-page.vue'), { title: 'Machines' }),
  page('machines/new', () => import('./pages/machines/connect-machine-page.vue'), {
    title: 'Connect a machine',
  }),
  page('machines/:machineId', () => import('./pages/machines/machine-page.vue'), { title: 'Machine' }),
  page('machines/:machineId/rules', () => import('./pages/machines/rules-page.vue'), { title: 'Rules' }),
  page('machines/:machineId/tools', () => import('./pages/machines/tools-page.vue'), { title: 'Tools' }),
  page('agents', () => import('./pages/agents-page.vue'), { title: 'Agents' }),
  page('agents/new/:recipe?', () => import('./pages/connect-agent-page.vue'), { title: 'Connect an agent' }),
  page('agents/:agentId', () => import('./pages/agent-page.vue'), { title: 'Agent' }),
  {
    path: 'settings',
    component: () => import('./pages/settings/settings-page.vue'),
    redirect: '/settings/account',
    children: [
      page('account', () => import('./pages/settings/account-page.vue'), { title: 'Account' }),
      page('chat', () => import('./pages/settings/chat-settings-page.vue'), { title: 'Chat and memory' }),
      page('appearance', () => import('./features/settings/appearance-card.vue'), { title: 'Appearance' }),
      page('notifications', () => import('./pages/settings/notifications-page.vue'), {
        title: 'Notifications',
      }),
      page('channels', () => import('./pages/settings/channels-page.vue'), { title: 'Channels' }),
      page('webhooks', () => import('./pages/settings/webhooks-page.vue'), { title: 'Webhooks' }),
      page('people', () => import('./pages/settings/people-page.vue'), { title: 'People' }),
      page('server', () => import('./pages/settings/server-page.vue'), { title: 'Server' }),
    ],
  },
  page('more', () => import('./pages/more-page.vue'), { title: 'More' }),
  page(':rest(.*)', () => import('./pages/missing-page.vue'), { title: 'Not found' }),
];

/** Addresses of earlier versions. */
const earlier: RouteRecordRaw[] = [
  { path: '/confirmations/:confirmationId', redirect: ({ params }) => `/inbox/${params['confirmationId']}` },
  { path: '/settings/tokens', redirect: '/agents' },
  { path: '/settings/clients', redirect: '/agents' },
];

const routes: RouteRecordRaw[] = [
  page('/setup', () => import('./pages/setup-page.vue'), { open: true }),
  page('/sign-in', () => import('./pages/sign-in-page.vue'), { open: true }),
  page('/invitation', () => import('./pages/invitation-page.vue'), { open: true }),
  page('/reset-password', () => import('./pages/reset-password-page.vue'), { open: true, always: true }),
  page('/connect-client', () => import('./pages/connect-client-page.vue'), {}),
  page('/unreachable', () => import('./pages/unreachable-page.vue'), { open: true }),
  { path: '/', component: () => import('./features/shell/app-shell.vue'), children: shellPages },
  ...earlier,
];

/** The tools of the default machine, under the address of earlier versions. */
const earlierTools = (app: App): RouteRecordRaw => ({
  path: '/tools',
  component: () => import('./pages/missing-page.vue'),
  beforeEnter: async ({ query }) => {
    const machines = app.runWithContext(() => useMachinesStore());
    await machines.load();
    return machines.standard ? { path: `/machines/${machines.standard.id}/tools`, query } : '/machines';
  },
});

/** The panel's routes. Redirects users who are not signed in to the matching page. */
export const createPanelRouter = (app: App): Router => {
  const router = createRouter({
    history: createWebHistory(),
    routes: [...routes, earlierTools(app)],
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
        return to.path === '/inbox' || to.meta.open === true
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
