import type { CDPSession } from 'playwright-core';
import type { Refusal } from '../../common/egress/refusal.ts';
import { pageHostOf, type WebHost } from '../../common/network/host.ts';
import type { HostPolicy } from './host-policy.ts';

export interface RequestInterceptorNeeds {
  /** The browser's own session, above all tabs, workers and windows. */
  cdp: CDPSession;
  hostPolicy: HostPolicy;
  proxy: { username: string; password: string };
  open(): WebHost[];
  blocked(url: string, refusal: Refusal | 'scheme'): void;
}

interface Paused {
  requestId: string;
  frameId: string;
  resourceType: string;
  request: { url: string };
}

/**
 * Holds every request of the browser until the rules decide: pages, redirects, frames, workers, downloads.
 * WebSockets do not pass here; the proxy sees them.
 */
export const startRequestInterceptor = async ({
  cdp,
  hostPolicy,
  proxy,
  open,
  blocked,
}: RequestInterceptorNeeds) => {
  /** Frames of a tab are no targets of their own, or say that they are frames. */
  const isTab = async (frameId: string): Promise<boolean> => {
    const target = await cdp.send('Target.getTargetInfo', { targetId: frameId }).catch(() => undefined);
    return target !== undefined && target.targetInfo.type !== 'iframe';
  };

  const passed = new Set<string>();

  const refuse = (requestId: string) =>
    cdp.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });

  const allow = (requestId: string) => cdp.send('Fetch.continueRequest', { requestId });

  const decide = async ({ requestId, frameId, resourceType, request }: Paused): Promise<void> => {
    const place = pageHostOf(request.url);
    const isPage = resourceType === 'Document' && (await isTab(frameId));
    if (place === undefined) {
      // What a page carries in itself.
      if (!isPage && /^(data|blob):/.test(request.url)) {
        await allow(requestId);
        return;
      }
      if (isPage) blocked(request.url, 'scheme');
      await refuse(requestId);
      return;
    }
    const refusal = isPage ? await hostPolicy.mayVisit(place) : await hostPolicy.mayLoad(place, open());
    if (refusal === null) {
      passed.add(place.host);
      await allow(requestId);
      return;
    }
    if (isPage) blocked(request.url, refusal);
    await refuse(requestId);
  };

  cdp.on('Fetch.requestPaused', (event) => {
    decide(event).catch(() => refuse(event.requestId).catch(() => undefined));
  });
  cdp.on('Fetch.authRequired', ({ requestId, authChallenge }) => {
    const authChallengeResponse =
      authChallenge.source === 'Proxy'
        ? { response: 'ProvideCredentials' as const, ...proxy }
        : { response: 'CancelAuth' as const };
    cdp.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(() => undefined);
  });
  await cdp.send('Fetch.enable', { patterns: [{ urlPattern: '*' }], handleAuthRequests: true });
  return {
    /** Whether a page's request to this host was let through: the browser asks for things of its own, too. */
    hasPassed: (host: string) => passed.has(host),
  };
};

export type RequestInterceptor = Awaited<ReturnType<typeof startRequestInterceptor>>;
