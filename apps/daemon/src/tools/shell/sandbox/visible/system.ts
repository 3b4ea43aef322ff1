import { createHash } from 'node:crypto';
import {
  constants,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { nanoid } from 'nanoid';
import { isWithin } from '../../../../paths/protected.ts';
import { isAccessible } from '../../../../program/quiet-files.ts';
import { words } from '../../../../text/words.ts';

/** Programs and libraries beside /usr: links into it, or folders of their own. */
const systemFolders = ['/usr', ...words('/bin /sbin /lib /lib32 /lib64 /libx32'), '/nix/store', '/gnu/store'];

/** In /etc: what programs look up, none of it secret. Files are copied; links stay links. */
const etcFiles = words(`
  ld.so.cache ld.so.conf passwd group nsswitch.conf hosts host.conf hostname localtime timezone locale.alias
  locale.conf protocols services shells inputrc bash.bashrc bashrc profile login.defs mime.types magic os-release
  debian_version lsb-release redhat-release alpine-release arch-release gitconfig gitattributes ca-certificates.conf
  manpath.config papersize static maven/m2.conf
`);
/** Their files change while this program runs, or are large. */
const etcFolders = words(`
  alternatives ld.so.conf.d ssl/certs ssl/cert.pem ssl/openssl.cnf ca-certificates pki/tls/certs pki/tls/cert.pem
  pki/tls/openssl.cnf pki/ca-trust pki/java crypto-policies fonts terminfo java maven/logging perl python python3 R vim X11/rgb.txt
`);
const etcShapes = /^(java-\d+-openjdk|python3\.\d+)$/;

const lstatOf = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false });

/** Arguments that show the system's programs and libraries, read-only. */
export const systemMounts = (): string[] =>
  systemFolders.flatMap((path) => {
    const found = lstatOf(path);
    if (found?.isSymbolicLink()) return ['--symlink', readlinkSync(path), path];
    return found?.isDirectory() ? ['--ro-bind', path, path] : [];
  });

const shownInEtc = [...etcFiles, ...etcFolders].map((name) => join('/etc', name));
const shown = [...systemFolders, ...shownInEtc, '/proc', '/dev'];

/** Whether each command sees it as a part of the system. */
export const isOfSystem = (path: string): boolean =>
  shown.some((folder) => isWithin(path, folder)) ||
  (path.startsWith('/etc/') && etcShapes.test(path.split('/')[2] ?? ''));

interface Entry {
  name: string;
  found: Stats;
  kind: 'link' | 'file' | 'folder';
  isCopied: boolean;
}

/** The only lines that are copied of PHP's settings: others may hold keys of services. */
const phpExtension = /^\s*(zend_)?extension\s*=/;

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    // Not there, or closed.
    return [];
  }
};

const phpEntries = (): Entry[] =>
  ['php.d', ...namesIn('/etc/php').map((version) => `php/${version}/cli/conf.d`)]
    .flatMap((folder) => namesIn(join('/etc', folder)).map((name) => `${folder}/${name}`))
    .flatMap((name) => {
      const path = join('/etc', name);
      const found = statSync(path, { throwIfNoEntry: false });
      if (!name.endsWith('.ini') || found?.isFile() !== true) return [];
      return isAccessible(path, constants.R_OK) ? [{ name, found, kind: 'file', isCopied: true }] : [];
    });

/** The text of a file as a command sees it. */
const shownTextOf = (name: string): string | Buffer => {
  const text = readFileSync(join('/etc', name));
  if (!name.startsWith('php')) return text;
  return text
    .toString()
    .split('\n')
    .filter((line) => phpExtension.test(line))
    .join('\n');
};

const kindOf = (found: Stats): Entry['kind'] | undefined => {
  if (found.isSymbolicLink()) return 'link';
  if (found.isFile()) return 'file';
  return found.isDirectory() ? 'folder' : undefined;
};

const entriesOf = (): Entry[] => {
  const mounted = [...etcFolders, ...readdirSync('/etc').filter((name) => etcShapes.test(name))];
  const named = [
    ...etcFiles.map((name) => [name, true] as const),
    ...mounted.map((name) => [name, false] as const),
  ].flatMap(([name, isCopied]): Entry[] => {
    const path = join('/etc', name);
    const found = lstatOf(path);
    const kind = found && kindOf(found);
    if (found === undefined || kind === undefined) return [];
    if (kind !== 'link' && !isAccessible(path, constants.R_OK)) return [];
    return [{ name, found, kind, isCopied: isCopied && kind === 'file' }];
  });
  return [...named, ...phpEntries()];
};

/** An empty folder or file, for a mount. */
const makePlace = (place: string, isFolder: boolean): void => {
  mkdirSync(isFolder ? place : dirname(place), { recursive: true, mode: 0o700 });
  if (!isFolder) writeFileSync(place, '', { flag: 'a', mode: 0o600 });
};

const placesIn = (others: readonly string[]): { name: string; isFolder: boolean }[] =>
  others
    .filter((path) => isWithin(path, '/etc'))
    .map((path) => ({ name: path.slice('/etc/'.length), isFolder: statSync(path).isDirectory() }));

/** Copies stay small, and only the last ones are needed: a command may still be at work with one. */
const maxViews = 3;

const removeOld = (folder: string): void => {
  const views = readdirSync(folder).map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs }));
  for (const { name } of views.sort((one, other) => other.at - one.at).slice(maxViews))
    rmSync(join(folder, name), { recursive: true, force: true });
};

const make = (view: string, entries: Entry[], places: ReturnType<typeof placesIn>): void => {
  mkdirSync(view, { recursive: true, mode: 0o700 });
  for (const { name, kind, isCopied } of entries) {
    const [from, to] = [join('/etc', name), join(view, name)];
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    if (kind === 'link') symlinkSync(readlinkSync(from), to);
    else if (isCopied) writeFileSync(to, shownTextOf(name), { mode: 0o400 });
    else makePlace(to, kind === 'folder');
  }
  for (const { name, isFolder } of places) makePlace(join(view, name), isFolder);
};

/**
 * Arguments that show what a command sees as /etc: a copy of its small files in one mount, because each mount
 * costs 0.2 ms. The copy is in `privateFolder` and made again when one of the files has changed.
 * `others`: paths that are mounted there later.
 */
export const etcMounts = (privateFolder: string, others: readonly string[]): string[] => {
  const entries = entriesOf();
  const places = placesIn(others);
  const stamps = entries.map(({ name, found, isCopied }) =>
    isCopied ? `${name} ${found.ino} ${found.mtimeMs} ${found.size}` : name,
  );
  const name = createHash('sha256')
    .update(JSON.stringify([stamps, places]))
    .digest('hex')
    .slice(0, 16);
  const folder = join(privateFolder, 'etc');
  const view = join(folder, name);
  if (lstatOf(view) === undefined) {
    const made = join(folder, `${name}-${nanoid()}`);
    make(made, entries, places);
    try {
      renameSync(made, view);
    } catch {
      // Another daemon was quicker.
      rmSync(made, { recursive: true });
    }
    removeOld(folder);
  }
  const mounted = entries.filter(({ kind, isCopied }) => kind !== 'link' && !isCopied);
  return [
    ...['--ro-bind', view, '/etc'],
    ...mounted.flatMap((entry) => ['--ro-bind-try', join('/etc', entry.name), join('/etc', entry.name)]),
  ];
};
