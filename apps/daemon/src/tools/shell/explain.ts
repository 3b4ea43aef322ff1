import { readingsOf } from '../../permission/index.ts';
import { words } from '../../text/words.ts';
import { loginNote } from './git/repositories.ts';
import { withoutNetworkNote } from './network/notes.ts';
import type { Excess } from './limits/watch-limits.ts';
import type { Ended } from './run-command.ts';
import { noteOfUnseen } from './unseen.ts';
import type { Look } from './sandbox/visible/visible-places.ts';

const isWithoutWayOut = process.platform === 'darwin';

const noNetworkAtAll =
  'The sandbox has no network: a command reaches no other host and no program outside of it, and can download nothing. ' +
  'Ask the user to run this command in a terminal; a web page can be opened with the browser tools, if they are offered.';

/** Programs that do nothing without a network, and others that need one for some of their commands. */
const networkPrograms = new Set(words('curl wget ssh scp sftp rsync ftp telnet ping dig nslookup aria2c'));
const downloaders = new Set(
  words(
    'npm npx pnpm pnpx yarn bun bunx corepack pip pip3 pipx uv uvx poetry conda cargo go gem bundle composer mvn gradle git ' +
      'apt apt-get apk dnf brew docker deno',
  ),
);

const saysNoNetwork =
  /network is unreachable|ENETUNREACH|could not resolve host|EAI_AGAIN|temporary failure in name resolution|ENOTFOUND|no route to host|name or service not known|ENOTCACHED|could(n't| not) connect|failed to (connect|establish a new connection)|ECONNREFUSED|connection refused|network (access|connectivity) (is |have been |has been )?disabled|NO_OFFLINE_|--offline|offline mode|GOPROXY=off|could not find a version that satisfies|no matching distribution|could not find `[^`]+` in registry|performing the request to https?:/i;

const starts = (command: string, programs: ReadonlySet<string>): boolean =>
  readingsOf(command).some(({ program }) => programs.has(program));

const withoutNetworkWords = 'it had no network';

const rightsWords = 'it needs further rights, such as those of root';
const overSsh = /could not resolve hostname[^]*could not read from remote repository/i;
const gitSettings = /could not (write|lock) config file/i;

interface Said {
  root: string;
  network: string;
  /** How the login of the person is asked for. */
  login: string;
}

/** What the sandbox had to do with a failure: for the agent, and in a few fixed words for a question. */
export interface Cause {
  sentence: string;
  words: string;
}

const causes: { sign: RegExp; words: string; says(said: Said): string }[] = [
  {
    sign: gitSettings,
    words: 'it changes the settings of a git repository',
    says: () =>
      'A command in the sandbox cannot change the settings of a git repository, because they can make git run programs. ' +
      'It can add remotes, the branch that a branch follows, and harmless settings such as user.name. ' +
      'For one command pass a setting with `git -c name=value`; for good, ask the user to run this command in a terminal.',
  },
  {
    sign: overSsh,
    words: 'it has no git login',
    says: ({ login }) => login,
  },
  {
    sign: saysNoNetwork,
    words: withoutNetworkWords,
    says: ({ network }) => network,
  },
  {
    sign: /could not read (username|password) for|authentication failed for|permission denied \(publickey|host key verification failed/i,
    words: 'it has no git login',
    says: ({ login }) => login,
  },
  {
    sign: /no new privileges|setuid (bit|root)|must be owned by uid 0|are you root\?|must be run as root|requires root/i,
    words: rightsWords,
    says: () =>
      'A command in the sandbox gets no further rights: sudo and su do not work there. ' +
      'Ask the user to run this command in a terminal.',
  },
  {
    sign: /cannot connect to the docker daemon|(docker|podman|containerd)[\w.-]*\.sock|failed to connect to (the )?(system |session )?bus/i,
    words: 'it needs a service of this machine, such as Docker',
    says: () =>
      'A command in the sandbox reaches no service of this machine through a socket, such as Docker. ' +
      'Ask the user to run this command in a terminal.',
  },
  {
    sign: /(unshare|nsenter): .*not permitted|no usable sandbox|bwrap: .*namespace/i,
    words: 'it makes namespaces or mounts file systems',
    says: () =>
      'A command in the sandbox cannot make namespaces or mount file systems: containers do not start there, nor does Chromium. ' +
      'Ask the user to run this command in a terminal.',
  },
  {
    sign: /read-only file system|EROFS/i,
    words: 'it writes where the sandbox does not let it',
    says: ({ root }) =>
      `The sandbox changes files in ${root} and in $TMPDIR only, and none that other programs run: git hooks and config with the programs that it names, a git rebase that runs programs, settings of editors, agents and shells, programs of MCP servers.`,
  },
  {
    sign: /device or resource busy|EBUSY|invalid cross-device link|EXDEV/i,
    words: 'it replaces protected files',
    says: () =>
      'In the sandbox protected files (git hooks and config, settings of editors, agents and shells) and the folders above them cannot be renamed, replaced or removed.',
  },
];

/** With hosts, what a program finds without the proxy: hosts that were not asked for are said apart. */
const pastTheProxy: (typeof causes)[number] = {
  sign: /network is unreachable|ENETUNREACH|could not resolve host|EAI_AGAIN|ENOTFOUND|temporary failure in name resolution|name or service not known/i,
  words: 'it did not use the proxy of its hosts',
  says: () =>
    'A program of the command connected without the proxy in HTTPS_PROXY, which alone leads to its hosts. ' +
    'fetch of Node uses it from 22.21 and 24.5 on; curl, wget, git and package tools do. ' +
    'For a port of this machine, such as a database, ask for localhost:<port>.',
};

/** What git says of its settings, or of ssh, is one cause, whatever the system's reason was. */
const causesOf = (texts: string[], hasNetwork: boolean) => {
  const known = causes.map((one) => (hasNetwork && one.sign === saysNoNetwork ? pastTheProxy : one));
  const matching = known.filter(({ sign }) => texts.some((text) => sign.test(text)));
  const [first] = matching;
  return first?.sign === gitSettings || first?.sign === overSsh ? [first] : matching;
};

interface Seen {
  root: string;
  /** Whether the command had hosts to connect to; what it was refused is said apart. */
  hasNetwork?: boolean;
  look(): Look;
}

/** What the sandbox had to do with how a command ended: in sentences, found in what it printed. */
const sandboxCauses = (
  command: string,
  { exitCode, stdout, stderr, timedOut }: Omit<Ended, 'left'>,
  { root, look, hasNetwork = false }: Seen,
): Cause[] => {
  const output = `${stderr}\n${stdout}`;
  const network = isWithoutWayOut ? noNetworkAtAll : withoutNetworkNote(command, output);
  const withoutNetwork = { sentence: network, words: withoutNetworkWords };
  const isDownload = starts(command, networkPrograms) || starts(command, downloaders);
  // `npm install || true` has failed too.
  if (exitCode === 0)
    return !hasNetwork && /[;&|\n]/.test(command) && isDownload && saysNoNetwork.test(stderr)
      ? [withoutNetwork]
      : [];
  const found = causesOf([stderr, stdout], hasNetwork).map(({ says, words }) => ({
    sentence: says({ root, network, login: loginNote(command, output) }),
    words,
  }));
  const unseen = noteOfUnseen(command, { output, look });
  // Opening a place would not help: it is the rights that are missing.
  if (unseen !== undefined && !found.some(({ words }) => words === rightsWords))
    found.push({ sentence: unseen, words: 'it reads what the sandbox does not show' });
  if (found.length > 0) return found;
  if (hasNetwork) return [];
  return starts(command, networkPrograms) || (timedOut && isDownload) ? [withoutNetwork] : [];
};

/** Output of programs that wanted a person at a terminal, which a command does not have. */
const personWanted: { sign: RegExp; says(around: Around): string }[] = [
  {
    sign: /no tty present|terminal is required|password is required|not a (tty|terminal)|(open|read from) '?\/dev\/tty/i,
    says: () =>
      'The command wanted a terminal, most likely for a password. It has no terminal: ask the user to run it in one.',
  },
  {
    sign: /EOF when reading a line|unexpected end of (input|file) while reading standard input/i,
    says: ({ hasProcesses }) =>
      'The command read its standard input, which is empty. Give the text with the argument `stdin`' +
      (hasProcesses ? ', or start it with `process_start` and answer with `process_write`.' : '.'),
  },
];

/** A last job with `&`, alone or with a word after it. */
const leavesJob = /(?<![&<>|])&(?![&>])\s*(?:\)|(?:echo|printf|disown)\b[^\n&;|]*)?\s*$/;

const endedWithIt =
  'What a command leaves running in the background ends with the command. `process_start` keeps one running.';

/** What the tool offers around the command. */
interface Around {
  timeoutMs: number;
  sandbox: boolean;
  hasProcesses?: boolean;
}

const timedOutAfter = (timeoutMs: number, { hasProcesses }: Around): string =>
  `The command did not end within ${timeoutMs / 1000} s and was stopped: \`timedOut\`. What it had written until then is kept. ` +
  'The argument `timeout` gives a command up to 540000 ms.' +
  (hasProcesses ? ' `process_start` runs one that takes longer, or goes on until it is stopped.' : '');

const excessWords: Record<Excess, string> = {
  memory: 'needed more than 8 GiB of memory together',
  processes: 'had more than 1,024 processes',
  disk: 'left less than 256 MiB, or room for less than 10,000 files, on the disk',
};

/** How it ended, what it wanted or left behind, and what the sandbox had to do with that. */
export const explain = (
  command: string,
  ended: Omit<Ended, 'left'>,
  { timeoutMs, sandbox, hasProcesses = false, ...seen }: Seen & Around,
): { notes: string[]; causes: Cause[] } => {
  const { exceeded } = ended;
  const around = { timeoutMs, sandbox, hasProcesses };
  const causes = sandbox && exceeded === undefined ? sandboxCauses(command, ended, seen) : [];
  const output = `${ended.stderr}\n${ended.stdout}`;
  const wanted = ended.exitCode === 0 ? [] : personWanted.filter(({ sign }) => sign.test(output));
  const ends = [
    ...(ended.timedOut ? [timedOutAfter(timeoutMs, around)] : []),
    ...(exceeded
      ? [`The command and what it started ${excessWords[exceeded]}, and was stopped: \`exceeded\`.`]
      : []),
    ...wanted.map(({ says }) => says(around)),
    ...(sandbox && hasProcesses && leavesJob.test(command) ? [endedWithIt] : []),
  ];
  return { notes: [...ends, ...causes.map(({ sentence }) => sentence)], causes };
};
