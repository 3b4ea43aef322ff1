import type { PushMessage } from '@drawbridge/contracts/outside/notifications';

/** The files of the shell; the build puts their names here. */
const shell: readonly string[] = __SHELL_FILES__;
const cacheName = `shell-${__SHELL_VERSION__}`;
const page = '/';

declare const self: ServiceWorkerGlobalScope;
declare const __SHELL_FILES__: readonly string[];
declare const __SHELL_VERSION__: string;

/** Addresses that are no page of the panel. */
const isPage = ({ pathname }: URL) =>
  !/^\/(api|rest|trpc|mcp|rpc|webhooks|webchat|\.well-known)(\/|$)|\./.test(pathname);
/** What a proxy answers while the server behind it is away. */
const isAway = ({ status }: Response) => status >= 502 && status <= 504;

const keepShell = async () => {
  const cache = await caches.open(cacheName);
  await cache.addAll([page, ...shell].map((file) => new Request(file, { cache: 'reload' })));
  await self.skipWaiting();
};

const forgetOldShells = async () => {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== cacheName).map((name) => caches.delete(name)));
  await self.clients.claim();
};

/** The page of the server; that of the shell while it is away, which then says so. */
const loadPage = async (request: Request): Promise<Response> => {
  const response = await fetch(request).catch(() => null);
  if (response !== null && !isAway(response)) return response;
  return (await caches.match(page)) ?? response ?? Response.error();
};

const loadFile = async (request: Request): Promise<Response> =>
  (await caches.match(request)) ?? fetch(request);

self.addEventListener('install', (event) => event.waitUntil(keepShell()));
self.addEventListener('activate', (event) => event.waitUntil(forgetOldShells()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== self.location.origin) return;
  if (request.mode === 'navigate' && isPage(url)) event.respondWith(loadPage(request));
  else if (shell.includes(url.pathname)) event.respondWith(loadFile(request));
});

const fallback: PushMessage = { id: 'question', title: 'A question waits', path: '/inbox' };

const messageOf = (data: PushMessageData | null): PushMessage => {
  try {
    return { ...fallback, ...(data?.json() as Partial<PushMessage>) };
  } catch {
    return fallback;
  }
};

const show = ({ id, title, path }: PushMessage) =>
  self.registration.showNotification(title, { tag: id, data: { path }, icon: '/icon-192.png' });

/** An open window of the panel goes to the page, else a new one opens. */
const open = async (path: string) => {
  const { href, origin } = new URL(path, self.location.origin);
  if (origin !== self.location.origin) return;
  const [window] = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (!window) return void (await self.clients.openWindow(href));
  window.postMessage({ type: 'open', path });
  await window.focus();
};

self.addEventListener('push', (event) => event.waitUntil(show(messageOf(event.data))));

self.addEventListener('notificationclick', (event) => {
  const { notification } = event;
  notification.close();
  // `show` has set it.
  event.waitUntil(open((notification.data as { path: string }).path));
});
