import { dirname, sep } from 'node:path';
import type { ToolGroup } from '@drawbridge/contracts/groups';
import { errors } from './errors.ts';
import type { Resource, RunContext, ToolContext } from './tool.ts';
import { findPlace, type Place, type Resolution } from '../../paths/place.ts';
import { atOneMoment, isProtected, isWithin, protectedIn } from '../../paths/protected.ts';

export interface Wanted {
  access: 'read' | 'write';
  /** What a link at the end means; `follow` where nothing is said. */
  last?: Resolution['last'];
}

const groups = { read: 'filesystemRead', write: 'filesystemWrite' } as const satisfies Record<
  Wanted['access'],
  ToolGroup
>;

/** Where a typed path leads, when it may be touched at all. Throws `badPath`, `outside`, `protectedPath`. */
export const locate = (context: ToolContext, typed: string, wanted: Wanted): Place => {
  const place = findPlace(typed, { root: context.root, last: wanted.last ?? 'follow' });
  const now = atOneMoment(context);
  if ([...new Set([place.path, place.typed])].some((path) => isProtected(now, path, wanted.access)))
    throw errors.protectedPath();
  return place;
};

/** As a rule matches it: a folder with all below it ends in a slash. */
const wholeTree = (path: string): string => (path.endsWith(sep) ? path : path + sep);

export interface PathAccess extends Wanted {
  place: Place;
  /** The words before the path: `Read file`. */
  doing: string;
  tree?: boolean;
}

/** The folder that the user may allow instead; never one that is written as a whole. */
const wider = ({ access, place, tree = false }: PathAccess): string | undefined => {
  if (access === 'read' && place.kind === 'folder') return wholeTree(place.path);
  return tree ? undefined : wholeTree(dirname(place.path));
};

export const toResource = (touched: PathAccess): Resource => {
  const { access, place, doing, tree = false } = touched;
  const name = (path: string) => (tree ? wholeTree(path) : path);
  const folder = wider(touched);
  const also = place.typed === place.path ? '' : ` (given as ${place.typed})`;
  return {
    toolGroup: groups[access],
    resource: name(place.path),
    description: `${doing}: ${name(place.path)}${also}`,
    ...(place.typed === place.path ? {} : { aliases: [name(place.typed)] }),
    ...(folder !== undefined && { folder }),
  };
};

/** `locate` while running: the path must lead to what was allowed. Throws `notGranted` too. */
export const locateGranted = (context: RunContext, typed: string, wanted: Wanted): Place => {
  const place = locate(context, typed, wanted);
  const isGranted = context.granted.some(
    ({ toolGroup, resource }) =>
      toolGroup === groups[wanted.access] && (resource === place.path || resource === wholeTree(place.path)),
  );
  if (!isGranted) throw errors.notGranted();
  return place;
};

/** `locateGranted` for reading a folder. Throws `notFound` and `notFolder` too. */
export const locateGrantedFolder = (context: RunContext, typed: string): Place => {
  const place = locateGranted(context, typed, { access: 'read' });
  if (place.kind === 'missing') throw errors.notFound();
  if (place.kind !== 'folder') throw errors.notFolder();
  return place;
};

/** The resource of a tool that reads what stands at one path. */
export const readResource = (
  context: ToolContext,
  typed: string,
  about: Pick<PathAccess, 'doing' | 'tree'>,
): Resource => toResource({ access: 'read', place: locate(context, typed, { access: 'read' }), ...about });

/** Whether an entry of a real folder may be named in a list, a tree or a search. */
export const showsIn = (context: ToolContext, folder: string): ((name: string) => boolean) => {
  if (!isWithin(folder, context.root)) return () => false;
  const isKept = protectedIn(context, folder);
  const inFolder = wholeTree(folder);
  return (name) => !isKept(name) && !context.reading.isDenied(inFolder + name);
};
