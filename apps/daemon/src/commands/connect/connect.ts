import { releaseName, type Release } from '@drawbridge/contracts/release';
import { systemClock } from '@drawbridge/kit';
import { keepHeapSmall } from '@drawbridge/kit/node';
import type { Environment } from '../../config.ts';
import { openJournalDirectory } from '../../journal/index.ts';
import { createSessionFile, type SessionFile, type Way } from '../../link/index.ts';
import { createLog, type Log } from '../../log/index.ts';
import { ownCommand, shellWord } from '../../program/own-command.ts';
import { openSettings, type Ask, type Modes, type SettingsStore } from '../../permission/index.ts';
import { openControl } from '../../status/control.ts';
import { createStatusFile } from '../../status/index.ts';
import { readStatuses } from '../../status/read-status.ts';
import { askWithProgress, createAskInTerminal } from '../../terminal/ask.ts';
import type { TerminalOutput } from '../../terminal/terminal-output.ts';
import { createOwnInput, stillStarting, switchedOff, type OwnInput } from '../../tools/index.ts';
import { errors } from '../common/errors.ts';
import { hostIdentifier } from '../common/identity.ts';
import { checkKey } from './check-key.ts';
import { clearLeftovers } from './leftovers.ts';
import { offerToInstall } from './install-offer.ts';
import { createRuntimesAnswer } from '../../tools/index.ts';
import { createToolHost, type ToolHost } from '../tool-host.ts';
import { readOptions, type ConnectOptions, type ParsedLine, checkToken } from '../common/options.ts';
import { findSessionFolder } from '../common/root-folder.ts';
import { showUrl } from '../common/server-url.ts';
import { notifyAll } from './session-events.ts';
import { inLog, inStatus, inTerminal, offerOf } from './session-watchers.ts';
import { createSession, type Session } from './session.ts';
import { planModes, settleModes } from './settle-modes.ts';
import { showEnding } from './show-link.ts';
import { askForToken } from './start-question.ts';

export interface ConnectNeeds {
  environment: Environment;
  terminal: TerminalOutput;
  release: Release;
  isTerminal: boolean;
  onSignal(stop: () => void): () => void;
}

interface Target {
  url: URL;
  key: string;
  /** Whether the key was typed, so that the server has not seen it yet. */
  isTyped: boolean;
  /** The folder that this pairing shared last. */
  folder?: string | undefined;
}

/** Where to connect and with what: the person's words, else the session of the last time. */
const findTarget = async (
  options: ConnectOptions,
  sessionFile: SessionFile,
  ask: boolean,
): Promise<Target> => {
  const { url, token } = options;
  if (token !== null) checkToken(token);
  if (url !== null && token !== null) return { url, key: token, isTyped: true };
  if (url === null && token !== null)
    throw errors.wrongUse({ message: 'The address of the server is missing' });
  const session = await sessionFile.read();
  const fits =
    session !== null &&
    session.hostIdentifier === hostIdentifier() &&
    (url === null || url.href === session.url);
  if (fits) return { url: new URL(session.url), key: session.key, isTyped: false, folder: session.folder };
  if (url === null || !ask) throw errors.notPaired();
  const asked = await askForToken();
  if (asked === null) throw errors.declined();
  return { url, key: asked, isTyped: true };
};

/** Two of one person at one server would take the machine from each other. Throws `alreadyRunning`. */
const refuseSecond = async (
  options: ConnectOptions,
  sessionFile: SessionFile,
  privateFolder: string,
): Promise<void> => {
  const kept = options.url ?? (await sessionFile.readKept())?.url;
  if (kept === undefined) return;
  const url = showUrl(new URL(kept));
  const running = (await readStatuses(privateFolder)).find((status) => status.url === url);
  if (running === undefined) return;
  throw errors.alreadyRunning({
    message: `drawbridge is already running: process ${running.pid}, ${running.folder}, ${running.link.state}`,
    fix:
      'Each user shares one folder with a server. To share another, stop this one (Ctrl-C in its terminal, or ' +
      `kill ${running.pid}), then run ${ownCommand('connect --dir <folder>')}. To share two, share the folder ` +
      'above them, or use a second user account of this machine.',
  });
};

const runUntilEnd = async (session: Session, { key, terminal, url, onSignal }: Serving): Promise<number> => {
  const stopListening = onSignal(() => void session.stop());
  const ending = await session.run(key);
  stopListening();
  const gaveUp = ending.reason === 'failed' && ending.failure.kind === 'refused';
  return gaveUp ? 1 : showEnding(terminal, ending, url);
};

/** What the person should know of what is offered, and what is switched on but missing. */
const showTools = (toolHost: ToolHost, terminal: TerminalOutput): void => {
  for (const { name, enabled, reason } of toolHost.toolCategories()) {
    if (reason === undefined || reason === switchedOff) continue;
    if (reason === stillStarting) terminal.line('starting', `${name}: ${reason}`, 'gray');
    else terminal.line(enabled ? 'careful' : 'not offered', `${name}: ${reason}`, 'yellow');
  }
};

const whereToAsk = (options: ConnectOptions, needs: ConnectNeeds, ownInput: OwnInput): Ask => {
  if (options.confirm === 'panel') return { kind: 'panel' };
  if (!needs.isTerminal) {
    throw errors.wrongUse({ message: '--confirm terminal needs a terminal', fix: 'Use --confirm panel.' });
  }
  const { terminal } = needs;
  const askInTerminal = createAskInTerminal({
    clock: systemClock,
    terminal,
    input: process.stdin,
    isOwnInput: ownInput.isActive,
    output: process.stderr,
  });
  return { kind: 'terminal', askInTerminal: askWithProgress(systemClock, askInTerminal) };
};

/** What the person should know of the folder: that it is not the current one, or not the one of last time. */
const noteOf = (
  path: string,
  { before, given }: { before: string | undefined; given: string | null },
): string | undefined => {
  if (before === undefined) return undefined;
  if (given === null)
    return path === process.cwd() ? undefined : 'as last time; --dir . shares the current one';
  return path === before ? undefined : `instead of ${before}, also next time`;
};

interface Serving extends ConnectNeeds {
  settings: SettingsStore;
  sessionFile: SessionFile;
  log: Log;
  modes: Modes;
  url: URL;
  key: string;
  ask: boolean;
  way: Way;
  rootPath: string;
  name: string | null;
}

const serve = async (toolHost: ToolHost, needs: Serving): Promise<number> => {
  const { settings, sessionFile, log, modes, url, ask, terminal, release, rootPath } = needs;
  const version = releaseName(release);
  const opened = await openJournalDirectory({
    clock: systemClock,
    privateFolder: settings.folder,
    server: { url, host: hostIdentifier() },
  });
  await clearLeftovers(opened, { clock: systemClock, terminal });
  const startedAt = new Date(systemClock.now()).toISOString();
  log.write('started', { pid: process.pid, version, url: showUrl(url), folder: rootPath, modes });
  const status = createStatusFile(
    {
      pid: process.pid,
      version,
      release,
      url: showUrl(url),
      host: hostIdentifier(),
      folder: rootPath,
      startedAt,
      ...offerOf(toolHost),
      link: { state: 'connecting', since: startedAt },
      heldBack: false,
      calls: { running: 0, ok: 0, failed: 0, denied: 0, asked: 0, cancelled: 0 },
    },
    { folder: opened.folder, clock: systemClock },
  );
  status.updateSoon(() => ({}));
  const stopUpdating = toolHost.onChanged(() => status.update(offerOf(toolHost)));
  const session = createSession({
    clock: systemClock,
    random: Math.random,
    events: notifyAll([
      inTerminal({ clock: systemClock, terminal, url: showUrl(url), release }),
      inLog(log),
      inStatus(status, { clock: systemClock }),
    ]),
    url,
    way: needs.way,
    journal: opened.journal,
    epoch: opened.epoch,
    sessionFile,
    toolHost,
    runtimes: createRuntimesAnswer({
      privateFolder: settings.folder,
      path: needs.environment.path,
      mode: () => toolHost.modes().runtime,
    }),
    machine: {
      rootPath,
      release,
      instance: opened.instance,
      reconnect: ownCommand(`connect --dir ${shellWord(rootPath)}`),
      name: needs.name,
    },
    askForToken: async () => (ask ? askForToken() : null),
  });
  const closeControl = await openControl(opened.folder, toolHost.processes);
  const code = await runUntilEnd(session, needs);
  await closeControl();
  stopUpdating();
  await status.close();
  await opened.close();
  return code;
};

/** `drawbridge connect`: stays until the session ends, and gives the exit code. */
export const connect = async (line: ParsedLine, needs: ConnectNeeds): Promise<number> => {
  const { environment, terminal } = needs;
  keepHeapSmall();
  const options = readOptions(line, environment);
  const ownInput = createOwnInput(systemClock);
  const whereAsked = whereToAsk(options, needs, ownInput);
  const ask = needs.isTerminal && !options.nonInteractive;
  const settings = await openSettings(environment.privateFolder, systemClock);
  const sessionFile = createSessionFile({
    folder: environment.privateFolder,
    clock: systemClock,
    keyStore: options.keyStore,
  });
  await refuseSecond(options, sessionFile, settings.folder);
  await sessionFile.probe();
  const { url, key: given, isTyped, folder: before } = await findTarget(options, sessionFile, ask);
  const root = await findSessionFolder(options.dir, before);
  const { release } = needs;
  const plan = planModes({ options, settings });
  const key = isTyped ? await checkKey({ url, key: given, folder: root, release, ask }, terminal) : given;
  const folderNote = noteOf(root, { before, given: options.dir });
  const { shellSandbox } = options;
  const shown = { url: showUrl(url), folder: root, folderNote, shellSandbox, ask };
  const { modes, flags } = await settleModes(plan, shown, terminal);
  if (options.install !== null || isTyped) {
    await offerToInstall({ environment, release, terminal, wanted: options.install, ask });
  }
  const log = createLog({ privateFolder: settings.folder, clock: systemClock });
  const toolHost = await createToolHost({
    clock: systemClock,
    settings,
    modes,
    flags,
    ask: whereAsked,
    root,
    closed: options.closed,
    toolsets: {
      notify: (sentence) => {
        terminal.line('tools', sentence, 'yellow');
        log.write('note', { text: sentence });
      },
      shellSandbox,
      offerOutside: options.offerOutside || settings.offersOutside(),
      ownInput,
      browser: { mode: options.browser ?? settings.browserMode(), serverUrl: url.href },
    },
    notifyOfRules: (sentence) => {
      terminal.line('rules', sentence, 'yellow');
      log.write('rules', { text: sentence });
    },
    notifyOfModes: (sentence) => {
      terminal.line('permissions', sentence, 'yellow');
      log.write('modes', { text: sentence });
    },
  });
  try {
    showTools(toolHost, terminal);
    if (toolHost.tools().length === 0) throw errors.nothingAllowed();
    return await serve(toolHost, {
      ...needs,
      settings,
      sessionFile,
      log,
      modes,
      url,
      key,
      ask,
      way: options.link,
      rootPath: root,
      name: options.name,
    });
  } finally {
    // Also when it cannot be served: the tools have begun to start what they need.
    await toolHost.close();
    await log.settled();
  }
};
