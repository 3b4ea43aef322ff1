import { createHash } from 'node:crypto';
import type { RequestCaller } from '@drawbridge/contracts/daemon-event';
import { z } from 'zod';
import { errors } from '../common/errors.ts';
import { commandWords } from '../common/question-words.ts';
import { isGranted, type Resource, type RunContext, type ToolContext } from '../common/tool.ts';
import { folderOf, mustFit, toCommandResource } from './command.ts';
import { mayLast } from './words/lasting.ts';
import { fingerprintOfScripts } from './words/named-scripts.ts';
import { namedSecrets } from './words/named-secrets.ts';
import { staysInRoot } from './words/operands.ts';
import { fingerprintOfProgram } from './words/program-file.ts';
import {
  loginWords,
  maxRepositories,
  readRepositories,
  toGitResource,
  type GitAccess,
} from './git/repositories.ts';
import type { GitGrant, Grant, NetworkNeeds } from './network/command-egress.ts';
import { maxHosts, readAllDeclared } from './network/declared.ts';
import { accessWords, toGrants } from './network/resources.ts';
import type { Look } from './sandbox/visible/visible-places.ts';

const maxInputBytes = 64 * 1024;

export const stdinInput = {
  stdin: z
    .string()
    .max(maxInputBytes)
    .optional()
    .describe('Text for its standard input, at most 64 KiB, which then ends (default: no input)'),
};

export const networkInput = {
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
};

export interface GivenCommand {
  command: string;
  cwd?: string | undefined;
  stdin?: string | undefined;
  network?: string[] | undefined;
  git?: { repository: string; access: GitAccess }[] | undefined;
}

/** Where commands run, the same for every tool that runs one. */
export interface Surroundings {
  sandbox: boolean;
  /** What a command of this root sees, now. */
  look?(): Look;
  /** Absent where a command has no way out of the sandbox. */
  network?: NetworkNeeds;
  /** What the person reads about processes that run beside it, for a command of this caller. */
  besides?(caller: RequestCaller | undefined): string;
}

/** Without a sandbox. */
export const seesAll = (): Look => ({ sees: () => true, isClosed: () => false });

/** How a command runs. An answer for one manner does not count for another. */
export interface Manner {
  /** Words of its own in the fingerprint; none of them contains a space. */
  tags: readonly string[];
  /** A sentence for the person, after the one about the sandbox. */
  says: string;
  sessionOnly: boolean;
}

export const inForeground: Manner = { tags: [], says: '', sessionOnly: false };

/** Tells a permission for a sandboxed command from one without a sandbox. */
const withoutSandboxTag = 'no-sandbox';

/** What the caller reads of the sandbox. */
export const sandboxWords = (sandbox: boolean): string =>
  sandbox
    ? 'It runs in a sandbox: it changes files in the shared folder only, and connects to no host that it does not ask for.'
    : 'It runs without a sandbox.';

const question = (sandbox: boolean, root: string, hasNetwork: boolean): string =>
  sandbox
    ? `Run a command in the sandbox: ${hasNetwork ? 'network as listed' : 'no network'}, and it changes files in ${root} only`
    : 'Run a command without a sandbox: it can do whatever you can do on this machine';

const inputTag = (stdin: string): string =>
  `stdin=${createHash('sha256').update(stdin).digest('base64url').slice(0, 22)}`;

const checkTexts = ({ command, stdin = '' }: GivenCommand): void => {
  mustFit(command);
  if (Buffer.byteLength(stdin) > maxInputBytes)
    throw errors.badArguments({ message: 'stdin: is longer than 64 KiB' });
};

/** A command as it would run: its folder, and what has to be allowed for it. */
export interface InspectedCommand {
  folder: string;
  wanted: Resource;
  /** With each of its hosts and repositories. */
  all: Resource[];
  grants: Grant[];
  gitGrants: GitGrant[];
  hasNetwork: boolean;
}

/** The hosts and repositories that it was let to, in words. */
export const hostsOf = ({ grants, gitGrants }: Pick<InspectedCommand, 'grants' | 'gitGrants'>): string[] => [
  ...grants.map(({ declared }) => declared.text),
  ...gitGrants.map(({ repository }) => `git ${repository.access} ${repository.text}`.slice(0, 300)),
];

/** How commands are asked about in these surroundings. */
export const createCommandQuestions = ({ sandbox, look = seesAll, besides }: Surroundings) => {
  const toResource = (
    given: GivenCommand & { folder: string; hasNetwork: boolean },
    context: ToolContext,
    { tags: own, says, sessionOnly }: Manner,
  ): Resource => {
    const { command: text, folder, stdin, hasNetwork } = given;
    const added = [...own, ...(stdin === undefined ? [] : [inputTag(stdin)])];
    const tags = [
      ...(sandbox ? [] : [withoutSandboxTag]),
      fingerprintOfScripts(context, { folder, text }) ?? [],
      added,
    ].flat();
    const isPlain = sandbox && staysInRoot(context, { folder, text });
    const program = isPlain ? fingerprintOfProgram(context.root, text) : undefined;
    return {
      toolGroup: 'shell',
      resource: toCommandResource(text, folder),
      description: question(sandbox, context.root, hasNetwork) + says + (besides?.(context.caller) ?? ''),
      ...(tags.length > 0 && { fingerprint: tags.join(' ') }),
      ...(program !== undefined && { programFingerprint: [program, ...added].join(' ') }),
      ...((sessionOnly || !mayLast(context, folder, text)) && { sessionOnly: true }),
    };
  };

  const inspect = async (
    given: GivenCommand,
    context: ToolContext,
    manner: Manner,
  ): Promise<InspectedCommand> => {
    const { command, cwd, network: hosts = [], git = [] } = given;
    const folder = folderOf(context, cwd);
    const declared = await readAllDeclared(hosts);
    const gitGrants = readRepositories(git).map((repository) => ({
      repository,
      resource: toGitResource(repository),
    }));
    const hasNetwork = declared.length > 0 || gitGrants.length > 0;
    const wanted = toResource({ ...given, folder, hasNetwork }, context, manner);
    const grants = toGrants(declared, { command: wanted, text: command });
    const all = [wanted, ...[...grants, ...gitGrants].map(({ resource }) => resource)];
    return { folder, wanted, all, grants, gitGrants, hasNetwork };
  };

  return {
    /** The command, its hosts, and files with secrets that it names. Throws `badArguments`. */
    resources: async (given: GivenCommand, context: ToolContext, manner: Manner): Promise<Resource[]> => {
      checkTexts(given);
      const { folder, all } = await inspect(given, context, manner);
      return [...all, ...namedSecrets(context, { folder, command: given.command, look })];
    },
    /** The question in one line; `as` says how it runs. */
    title: async ({ command, network: hosts = [], git = [] }: GivenCommand, as: string): Promise<string> => {
      const access = accessWords(await readAllDeclared(hosts)) + loginWords(readRepositories(git));
      return `Run ${commandWords(command)}${as}${access}${sandbox ? '' : ' without a sandbox'}?`;
    },
    /** The same as it is now. Throws `notGranted` where that is not what was allowed. */
    granted: async (given: GivenCommand, context: RunContext, manner: Manner): Promise<InspectedCommand> => {
      const inspected = await inspect(given, context, manner);
      if (!inspected.all.every((resource) => isGranted(context, resource))) throw errors.notGranted();
      return inspected;
    },
  };
};

/** What a command reads, for the person who is asked. */
export const inputPreview = ({ stdin }: GivenCommand) =>
  stdin === undefined
    ? undefined
    : ({ kind: 'text', of: 'content', path: 'standard input', text: stdin } as const);
