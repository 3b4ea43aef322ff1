const mostHosts = 20;
/** A longer query can carry out what the model was given. */
const mostQuery = 60;
const address = /https?:\/\/[^\s<>"'`]+/gi;

const parsed = (href: string): URL | null => (URL.canParse(href) ? new URL(href) : null);

/** Hosts that a text names, at most 20. */
export const hostsIn = (text: string): string[] => {
  const hosts = [...text.matchAll(address)].flatMap(([href]) => parsed(href)?.host ?? []);
  return [...new Set(hosts)].slice(0, mostHosts);
};

/**
 * Whether an address may be a link where the platform makes previews: a preview is a request, which carries
 * data out without a click. So the person has to have named its host, or it is this server.
 */
export const createIsTrusted =
  ({ ownUrl, hosts }: { ownUrl: string; hosts: readonly string[] }) =>
  (href: string): boolean => {
    const to = parsed(href);
    if (to === null) return false;
    return to.origin === new URL(ownUrl).origin || (hosts.includes(to.host) && to.search.length <= mostQuery);
  };

/** Replaces the addresses that stand in a text. */
export const replaceAddresses = (text: string, by: (href: string) => string): string =>
  text.replace(address, by);
