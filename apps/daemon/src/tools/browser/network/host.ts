import { parseUrl } from '@drawbridge/kit';
import type { Resource } from '../../common/tool.ts';
import { looksLocal, otherNames, pageHostOf, type WebHost } from '../../common/network/host.ts';
import { maxUrlChars } from '../limits.ts';

/** The page of a tab that has not been anywhere, in the words that a rule has for it. */
export const blankPage = 'about:blank';

const hasScheme = /^[a-z][a-z0-9+.-]*:/i;

/** A typed address -> the one that is checked and opened; undefined for other schemes and credentials. */
export const parseTyped = (typed: string): string | undefined => {
  if (typed.length > maxUrlChars) return undefined;
  const text = typed.trim();
  if (text === blankPage) return blankPage;
  const url = parseUrl(hasScheme.test(text) ? text : `https://${text}`);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const place = pageHostOf(url.href);
  if (!place || url.username !== '' || url.password !== '') return undefined;
  url.hostname = place.hostname;
  return url.href;
};

/** A host as the permissions know it; `null` is the empty page. */
export const toHostResource = (place: WebHost | null, description: string): Resource => ({
  toolGroup: 'browser',
  resource: place?.host ?? blankPage,
  description,
  ...(place && otherNames(place).length > 0 && { aliases: otherNames(place) }),
  ...(place && looksLocal(place) && { explicit: true as const }),
});
