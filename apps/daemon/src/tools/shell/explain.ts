import type { Ended } from './run-command.ts';

const gitSettings = /could not (write|lock) config file/i;

const causes: { sign: RegExp; says(root: string): string }[] = [
  {
    sign: gitSettings,
    says: () =>
      'A command in the sandbox cannot change the settings of a git repository, because they can make git run programs. ' +
      'For one command pass a setting with `git -c name=value`; for good, ask the user to run this command in a terminal.',
  },
  {
    sign: /network is unreachable|ENETUNREACH|could not resolve host|EAI_AGAIN|temporary failure in name resolution|ENOTFOUND|no route to host|name or service not known/i,
    says: () => 'The sandbox has no network.',
  },
  {
    sign: /read-only file system|EROFS/i,
    says: (root) =>
      `The sandbox changes files in ${root} and in $TMPDIR only, and none that other programs run: git hooks and config, a git rebase that runs programs, settings of editors and shells.`,
  },
  {
    sign: /device or resource busy|EBUSY|invalid cross-device link|EXDEV/i,
    says: () =>
      'In the sandbox protected files (git hooks and config, settings of editors and shells) and the folders above them cannot be renamed, replaced or removed.',
  },
];

/** What git says of its settings is one cause, whatever the system's reason was. */
const causesOf = (texts: string[]) => {
  const matching = causes.filter(({ sign }) => texts.some((text) => sign.test(text)));
  return matching[0]?.sign === gitSettings ? matching.slice(0, 1) : matching;
};

/** Why a command failed, where that was the sandbox: in sentences, found in what it printed. */
export const explain = ({ exitCode, stdout, stderr }: Omit<Ended, 'notes'>, root: string): string[] =>
  exitCode === 0 ? [] : causesOf([stderr, stdout]).map(({ says }) => says(root));
