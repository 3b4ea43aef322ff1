import { errors } from '../../common/errors.ts';
import { parseAuthority } from '../../common/egress/authority.ts';
import { isNever, looksLocal, otherNames, type WebHost } from '../../common/network/host.ts';
import type { Resource } from '../../common/tool.ts';

export const maxRepositories = 4;

export type GitAccess = 'fetch' | 'push';

/** A repository that a command uses with the person's login. */
export interface Repository {
  /** In one spelling: `github.com/ada/demo`, `local:ada@nas.lan:2222/srv/demo`. */
  text: string;
  access: GitAccess;
  /** Of HTTPS: port 443 where none was named. */
  place: WebHost;
  /** As it stands in a URL: `github.com`, `nas.lan:8443`. */
  host: string;
  /** Absent: 443 for HTTPS, and what ssh uses for the host. */
  port?: number;
  /** Of ssh. */
  user: string;
  /** Without `/` at the start and `.git` at the end. */
  path: string;
  local: boolean;
}

const form = /^(local:)?(?:([a-z0-9_][a-z0-9_-]{0,31})@)?([^/]{1,260})\/(.{1,500})$/i;
const pathForm = /^(?:[\w.~+][\w.~+-]*\/)*[\w.~+][\w.~+-]*$/;

/** Nothing in it has a second meaning for a shell, a URL or git. Undefined for every other path. */
export const plainPath = (written: string): string | undefined => {
  const path = written
    .replace(/^\//, '')
    .replace(/\/$/, '')
    .replace(/\.git$/, '');
  const isPlain = pathForm.test(path) && !path.split('/').some((name) => name === '.' || name === '..');
  return isPlain ? path : undefined;
};

const readRepository = ({ repository, access }: { repository: string; access: GitAccess }): Repository => {
  const [, prefix, user = 'git', authority = '', written = ''] = form.exec(repository) ?? [];
  const place = parseAuthority(authority, 443);
  const path = plainPath(written);
  if (place === undefined || path === undefined || isNever(place))
    throw errors.badArguments({
      message: `git: ${JSON.stringify(repository.slice(0, 300))} is not a repository: write github.com/ada/demo`,
    });
  const port = /:\d+$/.test(authority) ? place.port : undefined;
  const local = prefix !== undefined || looksLocal(place);
  const host = place.hostname + (port === undefined ? '' : `:${port}`);
  return {
    text: `${local ? 'local:' : ''}${user === 'git' ? '' : `${user}@`}${host}/${path}`,
    access,
    place,
    host,
    ...(port !== undefined && { port }),
    user,
    path,
    local,
  };
};

/** Each once; push includes fetch. Throws `badArguments`; looks nothing up. */
export const readRepositories = (
  given: readonly { repository: string; access: GitAccess }[],
): Repository[] => {
  const all = new Map<string, Repository>();
  for (const one of given.map(readRepository))
    if (one.access === 'push' || !all.has(one.text)) all.set(one.text, one);
  return [...all.values()];
};

const described: Record<GitAccess, (text: string) => string> = {
  fetch: (text) => `Fetch from ${text} with your git login`,
  push: (text) =>
    `Push to ${text} and fetch from it with your git login. It may create and overwrite any branch and tag; it cannot delete them`,
};

/** What is to be allowed: one repository in one direction, whatever the command. */
export const toGitResource = ({ text, access, place, local }: Repository): Resource => ({
  toolGroup: 'network',
  resource: `git ${access} ${text}`,
  description: described[access](text) + (local ? '. It may be on your own network' : ''),
  // The login of the person is used for nothing that was not named exactly.
  explicit: true,
  // A deny rule for the host, or for fetching, forbids this too.
  aliases: [place.host, ...otherNames(place), ...(access === 'push' ? [`git fetch ${text}`] : [])],
  ...(access === 'fetch' && { includedIn: `git push ${text}` }),
});

/** ` with your git login for github.com/ada/demo (push)` */
export const loginWords = (all: readonly Repository[]): string =>
  all.length === 0
    ? ''
    : ` with your git login for ${all.map(({ text, access }) => `${text.slice(0, 120)} (${access})`).join(', ')}`;

/** The argument as the next call has it. */
export const gitArgument = (repository: string, access: GitAccess): string =>
  `git: ${JSON.stringify([{ repository, access }])}`;

const repositoryInText =
  /(?:https?:\/\/(?:[^\s/@'"]+@)?|ssh:\/\/(?:git@)?|git@)([a-z0-9.-]+(?::\d+)?)[/:]([\w.~+-]+(?:\/[\w.~+-]+)+)/i;

/** That a command had no login, with the argument that asks for that of the user. */
export const loginNote = (command: string, output: string): string => {
  const [, host = 'github.com', written = 'owner/name'] =
    repositoryInText.exec(`${command}\n${output}`) ?? [];
  const repository = `${host}/${plainPath(written) ?? 'owner/name'}`;
  return (
    'The command has no login of the user, and no key. ' +
    `To use the git login of the user, call again with ${gitArgument(repository, 'fetch')}, or "push" to push; the user is asked.`
  );
};
