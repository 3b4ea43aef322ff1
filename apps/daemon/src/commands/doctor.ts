import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { CodedError, systemClock } from '@drawbridge/kit';
import type { Command } from 'commander';
import type { Check, CheckState } from '../doctor/index.ts';
import { createSessionFile } from '../link/index.ts';
import { openSettings, visible, type Modes } from '../permission/index.ts';
import { row, type Answer } from './answer.ts';
import { jsonFlag, type AnswerWith, type CommandContext } from './context.ts';
import { addInsecure } from './flags.ts';
import { lookAtTools } from './look.ts';
import { readOptions } from './options.ts';
import { findRootFolder } from './root-folder.ts';
import { showKept } from './show-kept.ts';

const colours = { ok: 'green', note: 'gray', warning: 'yellow', problem: 'red' } as const;
const nameWidth = 10;

/** A check that cannot be made is a problem with a name. */
const attempt = async (name: string, run: () => Promise<Check[]>): Promise<Check[]> => {
  try {
    return await run();
  } catch (error) {
    const says = error instanceof Error ? error.message : 'it cannot be looked at';
    const fix = error instanceof CodedError ? error.fix : undefined;
    return [{ name, state: 'problem', says, ...(fix !== undefined && { fix }) }];
  }
};

const checkTools = async (privateFolder: string): Promise<Check[]> => {
  const { judgeTools } = await import('../doctor/index.ts');
  const settings = await openSettings(privateFolder, systemClock);
  const kept = settings.modes();
  // What is on deny is looked at too, but for MCP servers: those would be started.
  const modes: Modes = {
    filesystemRead: 'ask',
    filesystemWrite: 'ask',
    shell: 'ask',
    computer: 'ask',
    browser: 'ask',
    mcp: kept.mcp,
    system: 'deny',
  };
  const root = (await findRootFolder('.', homedir())).path;
  const { categories } = await lookAtTools({ settings, modes, root, shellSandbox: true });
  return [{ name: 'settings', state: 'ok', says: 'understood' }, ...judgeTools(categories, kept)];
};

const checkKey = async (privateFolder: string): Promise<Check[]> => {
  const sessionFile = createSessionFile({ folder: privateFolder, clock: systemClock });
  const kept = await sessionFile.look();
  if (kept === null) {
    return [
      {
        name: 'session',
        state: 'note',
        says: 'not paired',
        fix: 'Open the panel, choose Connect, and run the command that it shows.',
      },
    ];
  }
  await sessionFile.read();
  return [{ name: 'session', state: 'ok', says: `the key is ${showKept(kept.keptIn, privateFolder)}` }];
};

const findUrl = async (
  url: string | undefined,
  flags: Record<string, unknown>,
  { environment }: CommandContext,
): Promise<URL | null> => {
  const given = readOptions({ url, token: undefined, dir: undefined, flags }, environment).url;
  if (given !== null) return given;
  const kept = await createSessionFile({ folder: environment.privateFolder, clock: systemClock }).look();
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
  const { checkDisk, checkFiles, checkNode, checkServer, judgeProxy } = await import('../doctor/index.ts');
  // Before anything else opens the folder, which would put its modes right.
  const files = await checkFiles(privateFolder);
  await mkdir(privateFolder, { recursive: true, mode: 0o700 });
  const checks: Check[] = [
    checkNode(process.versions.node),
    ...(target === null
      ? [{ name: 'network', state: 'note' as const, says: 'no server is known: drawbridge doctor <url>' }]
      : await attempt('network', () => checkServer(target, systemClock))),
    judgeProxy(await readStatuses(privateFolder)),
    ...(await attempt('session', () => checkKey(privateFolder))),
    files,
    ...(await attempt('disk', async () => [await checkDisk(privateFolder)])),
    ...(await attempt('settings', () => checkTools(privateFolder))),
  ];
  const count = (state: CheckState) => checks.filter((check) => check.state === state).length;
  const problems = count('problem');
  return {
    text: (paint) =>
      [
        ...checks.flatMap(({ name, state, says, fix }) => [
          row(state, `${name.padEnd(nameWidth)}${visible(says)}`, (word) => paint(colours[state], word)),
          ...(fix === undefined ? [] : [row('', `${''.padEnd(nameWidth)}${visible(fix)}`)]),
        ]),
        '',
        `${problems} problem${problems === 1 ? '' : 's'}, ${count('warning')} warning${count('warning') === 1 ? '' : 's'}`,
      ].join('\n'),
    json: { problems, warnings: count('warning'), checks },
    code: problems === 0 ? 0 : 1,
  };
};

export const addDoctor = (program: Command, answer: AnswerWith): void => {
  const command = program
    .command('doctor')
    .description('look at what drawbridge needs here, and say how to put it right; exits with 1 on a problem')
    .argument('[url]', 'address of the server (default: that of the last session)')
    .option(...jsonFlag)
    .addHelpText('after', '\nExample:\n  $ drawbridge doctor https://bridge.example.org');
  addInsecure(command);
  command.action((url: string | undefined, flags: Record<string, unknown>) =>
    answer({ json: flags['json'] === true }, (context) => doctor(url, flags, context)),
  );
};
