import { mkdir } from 'node:fs/promises';
import { perGroup, toolGroups } from '@drawbridge/contracts/groups';
import { releaseName } from '@drawbridge/contracts/release';
import { CodedError, systemClock, visible } from '@drawbridge/kit';
import type { Command } from 'commander';
import type { Check, CheckState } from '../doctor/index.ts';
import { createSessionFile } from '../link/index.ts';
import { openRuntimes } from '../tools/index.ts';
import { ownCommand } from '../program/own-command.ts';
import { counted } from '../text/words.ts';
import { findProgram } from '../paths/programs.ts';
import { cacheBase } from '../tools/shell/config.ts';
import { listsChildren } from '../tools/shell/limits/tree-usage.ts';
import { groupLabel, openSettings, type Modes, type SettingsStore } from '../permission/index.ts';
import type { DaemonStatus } from '../status/index.ts';
import { jsonFlag, type Answer, type AnswerWith, type CommandContext } from './common/command.ts';
import { findKept } from './common/find-kept.ts';
import { addInsecure } from './common/flags.ts';
import { inspectTools } from './inspect-tools.ts';
import { modeSources, sourceWords } from './common/mode-sources.ts';
import { readOptions } from './common/options.ts';
import { pairInPanel, showDifference, showKept } from './common/sentences.ts';
import { findRootFolder } from './common/root-folder.ts';

const colours = { ok: 'green', note: 'gray', warning: 'yellow', problem: 'red' } as const;
const nameWidth = 10;
const releaseMs = 1_500;

/** A check that cannot be made is a problem with a name. */
const attempt = async (name: string, run: () => Promise<Check[]>): Promise<Check[]> => {
  try {
    return await run();
  } catch (error) {
    const says = error instanceof Error ? error.message : 'the check failed';
    const fix = error instanceof CodedError ? error.fix : undefined;
    return [{ name, state: 'problem', says, ...(fix !== undefined && { fix }) }];
  }
};

/** The modes in force, of each running daemon or else of the settings, with their sources. */
const showModes = (settings: SettingsStore, running: readonly DaemonStatus[]): Check[] => {
  const idle = {
    folder: null,
    modes: settings.modes(),
    sources: modeSources(settings, { flags: [], forSession: {} }),
  };
  return (running.length === 0 ? [idle] : running).map(({ folder, modes, sources }) => {
    const each = toolGroups.map((group) => {
      const source = sources?.[group];
      return `${groupLabel(group)} ${modes[group] ?? 'deny'}${source === undefined ? '' : `, ${sourceWords[source]}`}`;
    });
    return {
      name: 'modes',
      state: 'ok',
      says: `${folder === null ? '' : `in ${folder}: `}${each.join('; ')}`,
    };
  });
};

const checkTools = async (privateFolder: string): Promise<Check[]> => {
  const { evaluateTools } = await import('../doctor/index.ts');
  const settings = await openSettings(privateFolder, systemClock);
  const kept = settings.modes();
  // What is on deny is looked at too, but for MCP servers: those would be started.
  const modes: Modes = { ...perGroup(() => 'ask' as const), mcp: kept.mcp, system: 'deny' };
  const root = await findRootFolder('.');
  const { categories } = await inspectTools({ settings, modes, root, shellSandbox: true });
  const { readStatuses } = await import('../status/read-status.ts');
  return [
    { name: 'settings', state: 'ok', says: 'valid' },
    ...showModes(settings, await readStatuses(privateFolder)),
    ...evaluateTools(categories, kept),
  ];
};

const checkCommands = async ({ environment }: CommandContext): Promise<Check[]> => {
  const { checkGit, checkLimits, checkTerminal, checkWsl } = await import('../doctor/index.ts');
  const has = (program: string) => findProgram(program, environment.path) !== undefined;
  return [
    checkLimits(process.platform, listsChildren()),
    checkTerminal(process.platform, has),
    checkGit(has),
    ...(await checkWsl(await findRootFolder('.'))),
  ];
};

/** What is missing of the coding agents that are enabled here; each is started for its version alone. */
const checkRuntimes = async ({ environment: { privateFolder, path } }: CommandContext): Promise<Check[]> => {
  const enabled = await (await openRuntimes(privateFolder, systemClock)).read();
  if (enabled.size === 0) return [];
  const { runtimeStates } = await import('../tools/runtimes/check.ts');
  const states = await runtimeStates(enabled, { path, startsAll: false });
  return states.flatMap(({ id, enabled: isOn, version, missing, fix }): Check[] => {
    if (!isOn) return [];
    const about = version === null ? '' : `, version ${version}`;
    return [
      {
        ...{ name: 'agent', state: missing === null ? 'ok' : 'warning' },
        says: `${id}${about}${missing === null ? '' : `: ${missing}`}`,
        ...(fix !== null && { fix: `Run: ${fix}` }),
      },
    ];
  });
};

const checkKey = async (privateFolder: string): Promise<Check[]> => {
  const sessionFile = createSessionFile({ folder: privateFolder, clock: systemClock });
  const kept = await sessionFile.readKept();
  if (kept === null) {
    return [
      {
        name: 'session',
        state: 'note',
        says: 'not paired',
        fix: pairInPanel,
      },
    ];
  }
  await sessionFile.read();
  return [{ name: 'session', state: 'ok', says: `the key is ${showKept(kept.keptIn, privateFolder)}` }];
};

const checkRelease = async (url: URL, { release, signal }: CommandContext): Promise<Check[]> => {
  const { fetchOffered } = await import('../install/index.ts');
  const name = 'release';
  const from = { url, clock: systemClock, signal, withinMs: releaseMs };
  const offered = await fetchOffered(from).catch(() => null);
  const own = releaseName(release);
  if (offered === null)
    return [{ name, state: 'note', says: `${own}; the server did not report its release` }];
  const difference = showDifference(release, offered);
  if (difference !== null) return [{ name, state: 'note', says: difference }];
  return [{ name, state: 'ok', says: `${own}, the same as at the server` }];
};

const findUrl = async (
  url: string | undefined,
  flags: Record<string, unknown>,
  { environment }: CommandContext,
): Promise<URL | null> => {
  const typed = readOptions({ url, token: undefined, dir: undefined, flags }, environment).url;
  if (typed !== null) return typed;
  const kept = await findKept(environment.privateFolder);
  return kept === null ? null : new URL(kept.url);
};

/** Looks at what the daemon needs on this machine and on the way to the server. 1 when there is a problem. */
const doctor = async (
  url: string | undefined,
  flags: Record<string, unknown>,
  context: CommandContext,
): Promise<Answer> => {
  const { privateFolder } = context.environment;
  const target = await findUrl(url, flags, context);
  const { readStatuses } = await import('../status/read-status.ts');
  const { checkCaches, checkDisk, checkFiles, checkNode, checkServer, checkProxy } =
    await import('../doctor/index.ts');
  // Before anything else opens the folder, which would put its modes right.
  const files = await checkFiles(privateFolder);
  await mkdir(privateFolder, { recursive: true, mode: 0o700 });
  const noServer: Check = {
    name: 'network',
    state: 'note',
    says: `no server is known: run ${ownCommand('doctor <url>')}`,
  };
  // Side by side: one that has to wait for something does not keep the others.
  const results = await Promise.all([
    target === null ? [noServer] : attempt('network', () => checkServer(target, systemClock)),
    target === null ? [] : attempt('release', () => checkRelease(target, context)),
    readStatuses(privateFolder).then((running) => [checkProxy(running)]),
    attempt('session', () => checkKey(privateFolder)),
    [files],
    attempt('disk', async () => [await checkDisk(privateFolder)]),
    attempt('cache', async () => [await checkCaches(cacheBase())]),
    attempt('limits', () => checkCommands(context)),
    attempt('settings', () => checkTools(privateFolder)),
    attempt('agent', () => checkRuntimes(context)),
  ]);
  const checks: Check[] = [checkNode(process.versions.node), ...results.flat()];
  const count = (state: CheckState) => checks.filter((check) => check.state === state).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  return {
    text: (row) => [
      ...checks.flatMap(({ name, state, says, fix }) => [
        row(state, `${name.padEnd(nameWidth)}${visible(says)}`, colours[state]),
        fix !== undefined && row('', `${''.padEnd(nameWidth)}${visible(fix)}`),
      ]),
      '',
      `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}`,
    ],
    json: { problems, warnings, checks },
    code: problems === 0 ? 0 : 1,
  };
};

export const addDoctor = (program: Command, answer: AnswerWith): void => {
  const command = program
    .command('doctor')
    .description('check what drawbridge needs here, and how to fix it; exits with 1 on a problem')
    .argument('[url]', 'address of the server (default: that of the last session)')
    .option(...jsonFlag)
    .addHelpText('after', '\nExample:\n  $ drawbridge doctor https://bridge.example.org');
  addInsecure(command);
  command.action((url: string | undefined, flags: Record<string, unknown>) =>
    answer(flags, (context) => doctor(url, flags, context)),
  );
};
