import type {
  NoticeAnswer,
  NoticeReply,
  PushAsk,
  PushMessage,
} from '@drawbridge/contracts/outside/notifications';

/** The files of the shell; the build puts their names here. */
const shell: readonly string[] = __SHELL_FILES__;
const cacheName = `shell-${__SHELL_VERSION__}`;
const page = '/';
/** What answers from notifications are sent with; it belongs to this origin with its port. */
const answersCache = 'answers';
const headersKey = '/answer-headers';

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
  await Promise.all(
    names.filter((name) => name !== cacheName && name !== answersCache).map((name) => caches.delete(name)),
  );
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

/** The library of types lacks what browsers draw as buttons. */
interface NoticeOptions extends NotificationOptions {
  actions?: { action: NoticeAnswer; title: string }[];
}

/** What a notification keeps; the token alone answers nothing. */
interface Shown {
  path: string;
  token?: string;
}

const labels: Record<NoticeAnswer, string> = { allow: 'Allow once', deny: 'Deny' };

const buttonsOf = ({ text, token, offers }: PushAsk, { path }: Shown): NoticeOptions => ({
  body: text,
  actions: offers.map((action) => ({ action, title: labels[action] })),
  data: { path, token } satisfies Shown,
  requireInteraction: true,
});

const show = ({ id, title, path, ask }: PushMessage) => {
  const options: NoticeOptions = {
    tag: id,
    data: { path } satisfies Shown,
    icon: '/icon-192.png',
    ...(ask && buttonsOf(ask, { path })),
  };
  return self.registration.showNotification(title, options);
};

/** An open window of the panel goes to the page, else a new one opens. */
const open = async (path: string) => {
  const { href, origin } = new URL(path, self.location.origin);
  if (origin !== self.location.origin) return;
  const [window] = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (!window) return void (await self.clients.openWindow(href));
  window.postMessage({ type: 'open', path });
  await window.focus();
};

const keepHeaders = async (headers: Record<string, string> | null) => {
  const cache = await caches.open(answersCache);
  if (headers === null) await cache.delete(headersKey);
  else await cache.put(headersKey, Response.json(headers));
};

const refusals: Record<number, string> = {
  401: 'You are signed out on this device. Sign in to answer.',
};

/** Sends an answer. Never rejects: what did not count says so. */
const send = async (token: string, answer: NoticeAnswer): Promise<NoticeReply> => {
  const refused = (text: string): NoticeReply => ({ isAnswered: false, text });
  try {
    const kept = await (await caches.open(answersCache)).match(headersKey);
    const endpoint = (await self.registration.pushManager.getSubscription())?.endpoint;
    if (kept === undefined || endpoint === undefined)
      return refused('This device answers nothing now. Open it.');
    const response = await fetch('/trpc/notifications.answer', {
      method: 'POST',
      headers: { ...((await kept.json()) as Record<string, string>), 'content-type': 'application/json' },
      body: JSON.stringify({ endpoint, token, answer }),
    });
    if (response.status === 401) await keepHeaders(null);
    if (!response.ok)
      return refused(refusals[response.status] ?? 'The server did not accept this answer. Open it.');
    return ((await response.json()) as { result: { data: NoticeReply } }).result.data;
  } catch {
    return refused('The server does not respond. Nothing was answered.');
  }
};

/** The notification says what happened in the place of the question; what did not count opens the panel. */
const answerFrom = async (
  { tag, title }: Notification,
  { path, token = '' }: Shown,
  answer: NoticeAnswer,
) => {
  const { isAnswered, text } = await send(token, answer);
  const options = { tag, data: { path } satisfies Shown, icon: '/icon-192.png', body: title };
  await self.registration.showNotification(text, options);
  // A browser may refuse a window so long after the click: the notification opens it then.
  if (!isAnswered) await open(path).catch(() => undefined);
};

self.addEventListener('push', (event) => event.waitUntil(show(messageOf(event.data))));

self.addEventListener('message', (event) => {
  const { type, headers } = event.data as { type?: unknown; headers: Record<string, string> | null };
  if (type === 'answer-with') event.waitUntil(keepHeaders(headers));
});

self.addEventListener('notificationclick', (event) => {
  const { notification, action } = event;
  notification.close();
  // `show` and `answerFrom` have set it.
  const shown = notification.data as Shown;
  event.waitUntil(
    action === 'allow' || action === 'deny' ? answerFrom(notification, shown, action) : open(shown.path),
  );
});
