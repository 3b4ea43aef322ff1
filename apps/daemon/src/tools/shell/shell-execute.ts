import { z } from 'zod';
import { errors } from '../common/errors.ts';
import { textWords } from '../common/question-words.ts';
import { defineTool, isGranted, type DaemonTool, type Resource, type ToolContext } from '../common/tool.ts';
import { clampTimeout, commandInput, folderOf, mustFit, toCommandResource, toResult } from './command.ts';
import { explain } from './explain.ts';
import type { Launcher } from './launch.ts';
import { mayLast } from './words/lasting.ts';
import { fingerprintOfScripts } from './words/named-scripts.ts';
import { namedSecrets } from './words/named-secrets.ts';
import { staysInRoot } from './words/operands.ts';
import { fingerprintOfProgram } from './words/program-file.ts';
import { openCommandEgress, type NetworkNeeds } from './network/command-egress.ts';
import { maxHosts, readAllDeclared } from './network/declared.ts';
import { accessWords, toGrants } from './network/resources.ts';
import {
  loginWords,
  maxRepositories,
  readRepositories,
  toGitResource,
  type GitAccess,
} from './git/repositories.ts';
import { runCommand } from './run-command.ts';
import { outsideName } from './outside/shell-execute-outside.ts';
import type { FailedCommands } from './outside/failed-commands.ts';
import type { Look } from './sandbox/visible/visible-places.ts';

const inputWithNetwork = commandInput.extend({
  network: z
    .array(z.string().min(1).max(300))
    .max(maxHosts)
    .optional()
    .describe(
      'Hosts that it connects to (default: none); the user is asked. npm, pnpm, yarn: registry.npmjs.org; ' +
        'pip: pypi.org, files.pythonhosted.org; cargo: index.crates.io, static.crates.io; go: proxy.golang.org, ' +
        'sum.golang.org; git: github.com. Also example.org:22, *.example.org, localhost:5432, local:nas.lan:8443',
    ),
  git: z
    .array(z.strictObject({ repository: z.string().min(1).max(900), access: z.enum(['fetch', 'push']) }))
    .max(maxRepositories)
    .optional()
    .describe(
      "Repositories that it uses with the user's git login, over HTTPS or ssh (default: none); the user is asked. " +
        'Such as [{ "repository": "github.com/ada/demo", "access": "push" }]; push includes fetch. Public ones need only `network`',
    ),
});

/** What the person and the agent read of a command's limits. */
interface Limits {
  words: boolean;
  /** Tells a permission for a sandboxed command from one without a sandbox. */
  tag?: string;
  description: string;
  question(root: string, hasNetwork: boolean): string;
}

const limitsOf = ({ sandbox }: { sandbox: boolean }): Limits =>
  sandbox
    ? {
        words: true,
        description:
          'It runs in a sandbox: it changes files in the shared folder only, and connects to no host that it does not ask for.',
        question: (root, hasNetwork) =>
          `Run a command in the sandbox: ${hasNetwork ? 'network as listed' : 'no network'}, and it changes files in ${root} only`,
      }
    : {
        words: false,
        tag: 'no-sandbox',
        description: 'It runs without a sandbox.',
        question: () => 'Run a command without a sandbox: it can do whatever you can do on this machine',
      };

interface Wanted {
  command: string;
  folder: string;
  limits: Limits;
  hasNetwork: boolean;
}

const toResource = ({ command, folder, limits, hasNetwork }: Wanted, context: ToolContext): Resource => {
  const tags = [limits.tag, fingerprintOfScripts(context, { folder, text: command })].filter(
    (tag) => tag !== undefined,
  );
  const isPlain = limits.words && staysInRoot(context, { folder, text: command });
  const programFingerprint = isPlain ? fingerprintOfProgram(context.root, command) : undefined;
  return {
    toolGroup: 'shell',
    resource: toCommandResource(command, folder),
    description: limits.question(context.root, hasNetwork),
    ...(tags.length > 0 && { fingerprint: tags.join(' ') }),
    ...(programFingerprint !== undefined && { programFingerprint }),
    ...(!mayLast(context, folder, command) && { sessionOnly: true }),
  };
};

interface Given extends z.infer<typeof commandInput> {
  network?: string[] | undefined;
  git?: { repository: string; access: GitAccess }[] | undefined;
}

interface Surroundings {
  sandbox: boolean;
  /** What a command of this root sees, now; without a sandbox it sees all. */
  look?(): Look;
  /** Absent where a command has no way out of the sandbox. */
  network?: NetworkNeeds;
  /** Present where the user lets failed commands be asked about outside of the sandbox. */
  failedCommands?: FailedCommands;
}

const outsideNote = `The user can let exactly this command run once outside of the sandbox: ask with ${outsideName}.`;

/** `shell_execute` with the launcher that decides what a command can reach, and whether that is a sandbox. */
export const createShellExecute = (
  prepare: Launcher,
  {
    sandbox,
    look = () => ({ sees: () => true, isClosed: () => false }),
    network,
    failedCommands,
  }: Surroundings,
): DaemonTool => {
  const limits = limitsOf({ sandbox });
  const inspect = async (given: Given, context: ToolContext) => {
    const { command, cwd, network: hosts = [], git = [] } = given;
    const folder = folderOf(context, cwd);
    const declared = await readAllDeclared(hosts);
    const gitGrants = readRepositories(git).map((repository) => ({
      repository,
      resource: toGitResource(repository),
    }));
    const hasNetwork = declared.length > 0 || gitGrants.length > 0;
    const wanted = toResource({ command, folder, limits, hasNetwork }, context);
    const grants = toGrants(declared, { command: wanted, text: command });
    const all = [wanted, ...[...grants, ...gitGrants].map(({ resource }) => resource)];
    return { folder, all, grants, gitGrants, hasNetwork };
  };
  return defineTool({
    name: 'shell_execute',
    title: 'Run command',
    description: `Run a shell command and give its output and exit code. ${limits.description}`,
    group: 'shell',
    category: 'shell',
    effect: 'destroys',
    input: network === undefined ? commandInput : inputWithNetwork,
    resources: async (given: Given, context) => {
      const { command } = given;
      mustFit(command);
      const { folder, all } = await inspect(given, context);
      return [...all, ...namedSecrets(context, { folder, command, look })];
    },
    asks: async ({ command, network: hosts = [], git = [] }: Given) => {
      const access = accessWords(await readAllDeclared(hosts)) + loginWords(readRepositories(git));
      return `Run ${textWords(command)}${access}${limits.tag === undefined ? '' : ' without a sandbox'}?`;
    },
    run: async (given: Given, context) => {
      const { command, timeout } = given;
      const { folder, all, grants, gitGrants, hasNetwork } = await inspect(given, context);
      if (!all.every((resource) => isGranted(context, resource))) throw errors.notGranted();
      const timeoutMs = clampTimeout(timeout);
      const egress =
        hasNetwork && network ? await openCommandEgress(network, { grants, gitGrants }) : undefined;
      try {
        const ended = await runCommand(
          { ...context, text: command, cwd: folder, timeoutMs, deniedPaths: context.deniedPaths(), egress },
          prepare,
        );
        const about = { root: context.root, timeoutMs, sandbox, look, hasNetwork };
        const blocked = egress?.notes() ?? [];
        const { notes: sentences, causes } = explain(command, ended, about);
        const notes = [...blocked, ...sentences];
        if (failedCommands && ended.exitCode !== 0 && !ended.timedOut) {
          const words = causes.map((one) => one.words);
          if (blocked.length > 0) words.unshift('it was not let to a host or a repository');
          failedCommands.failed(toCommandResource(command, folder), words);
          if (words.length > 0) notes.push(outsideNote);
        }
        return toResult(ended, { notes: sandbox ? [...notes, ...ended.left.notes] : notes, egress });
      } finally {
        egress?.close();
      }
    },
  });
};
