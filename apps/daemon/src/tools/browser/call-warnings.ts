import { visible } from '@drawbridge/kit';
import { pageHostOf } from '../common/network/host.ts';
import type { Refusal } from '../common/egress/refusal.ts';
import { maxBlockedNamed } from './limits.ts';

const maxUrlShown = 500;

const sentences: Record<Refusal | 'scheme', (host: string, url: string) => string> = {
  unasked: (host, url) =>
    `The page wanted to go to ${host}, which is not allowed, so it was not loaded. browser_navigate to ${url} asks the user.`,
  denied: (host) => `A rule of the user forbids ${host}.`,
  server: (host) =>
    `${host} is the server that this machine is connected to, or drawbridge itself. Its pages are not opened here.`,
  never: (host) => `${host} leads to no address that is opened here.`,
  local: (host) =>
    `${host} leads to this machine or a private network. It is reached only by its own pages, and only where the user allowed exactly this host.`,
  process: (host) =>
    `${host} is no port of a process of yours that runs and was started with it in \`ports\`.`,
  scheme: () => 'The page wanted to go to an address that is neither http nor https.',
};

export const createCallWarnings = () => {
  const warnings = new Set<string>();
  let more = 0;
  const notify = (sentence: string) => {
    if (warnings.has(sentence)) return;
    if (warnings.size < maxBlockedNamed) warnings.add(sentence);
    else more += 1;
  };
  return {
    notify,
    blocked: (url: string, refusal: Refusal | 'scheme') => {
      const host = pageHostOf(url)?.host ?? '';
      notify(sentences[refusal](visible(host), visible(url.slice(0, maxUrlShown))));
    },
    take: () => {
      const taken = [...warnings, ...(more > 0 ? [`And ${more} more like these.`] : [])];
      warnings.clear();
      more = 0;
      return taken;
    },
  };
};
