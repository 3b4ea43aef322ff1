import { errors } from '../common/errors.ts';
import { locate, toResource } from '../common/access.ts';
import { textWords } from '../common/question-words.ts';
import { counted } from '../../text/words.ts';
import type { Resource, ToolContext } from '../common/tool.ts';
import { isNever, pageHostOf } from '../common/network/host.ts';
import { processIdOf } from '../common/network/process-hosts.ts';
import { blankPage, parseTyped, toHostResource } from './network/host.ts';
import type { BrowserSession } from './session.ts';

const maxShownChars = 2_000;

/** What the call will do, from its own arguments; the model's names for things in a page are left out. */
const showArguments = (args: Record<string, unknown>): string => {
  const shown = JSON.stringify(args, (key, value: unknown) => (/element$/i.test(key) ? undefined : value));
  if (shown === '{}') return '';
  return shown.length <= maxShownChars ? ` ${shown}` : ` ${shown.slice(0, maxShownChars)}…`;
};

/** The address that a call names. Throws `badAddress`. */
export const addressIn = (args: Record<string, unknown>): string | undefined => {
  const typed = args['url'];
  if (typeof typed !== 'string') return undefined;
  const address = parseTyped(typed);
  const place = address === undefined ? undefined : pageHostOf(address);
  if (address === undefined || (place && isNever(place))) throw errors.badAddress();
  return address;
};

/** A port of a process that the caller started: its start was the question. */
const isOwnProcess = (session: BrowserSession, url: string | undefined, { caller }: ToolContext): boolean => {
  const place = pageHostOf(url ?? blankPage);
  return place !== undefined && session.processPort(place)?.isOf(caller) === true;
};

const toTarget = (session: BrowserSession, address: string, context: ToolContext): Resource[] => {
  if (isOwnProcess(session, address, context)) return [];
  const place = pageHostOf(address) ?? null;
  if (place !== null && processIdOf(place) !== undefined) throw errors.unknownPort();
  return [toHostResource(place, `Open ${address} in the browser`)];
};

const pageResource = (url: string | undefined, doing: string): Resource => {
  const place = pageHostOf(url ?? blankPage) ?? null;
  return toHostResource(place, `${doing} on ${place?.host ?? 'an empty page (about:blank)'}`);
};

const unique = (resources: Resource[]): Resource[] => [
  ...new Map(resources.map((one) => [`${one.toolGroup} ${one.resource}`, one])).values(),
];

export interface BrowserCall {
  tool: { name: string; title: string };
  args: Record<string, unknown>;
  context: ToolContext;
}

/**
 * The hosts that a call touches (its target, else the present page) and the files that it sends; no port of
 * the caller's own processes. Throws `unknownPort`.
 */
export const resourcesOf = (session: BrowserSession, { tool, args, context }: BrowserCall): Resource[] => {
  const doing = `${tool.title}${showArguments(args)}`;
  const address = addressIn(args);
  const target = address === undefined ? [] : toTarget(session, address, context);
  if (tool.name === 'browser_navigate') return target;
  if (tool.name === 'browser_tabs') {
    // The list of tabs tells what is in each of them.
    const all = session.urls();
    return unique([
      ...target,
      ...(all.length > 0 ? all : [blankPage]).flatMap((url) =>
        isOwnProcess(session, url, context) ? [] : [pageResource(url, doing)],
      ),
    ]);
  }
  const paths = Array.isArray(args['paths']) ? args['paths'].map(String) : [];
  const current = session.currentUrl();
  const page = pageResource(current, doing);
  const files = paths.map((path) => {
    const place = locate(context, path, { access: 'read' });
    if (place.kind !== 'file') throw place.kind === 'missing' ? errors.notFound() : errors.notFile();
    return toResource({ access: 'read', place, doing: `Send to ${page.resource} the file` });
  });
  const isAllowed = files.length === 0 && isOwnProcess(session, current, context);
  return isAllowed ? [] : unique([page, ...files]);
};

export const askAbout = (
  { title }: BrowserCall['tool'],
  args: Record<string, unknown>,
  resources: readonly Resource[],
): string => {
  const address = addressIn(args);
  if (address !== undefined) return `Open ${textWords(address)} in the browser?`;
  const hosts = resources.filter(({ toolGroup }) => toolGroup === 'browser').map(({ resource }) => resource);
  const files = resources.length - hosts.length;
  const [host = blankPage, ...others] = hosts;
  const where = textWords(host) + (others.length > 0 ? ` and ${counted(others.length, 'other host')}` : '');
  return files > 0 ? `Send ${counted(files, 'file')} to ${where}?` : `${title} on ${where}?`;
};
