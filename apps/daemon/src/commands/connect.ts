import { homedir } from 'node:os';
import { systemClock } from '@drawbridge/kit';
import type { Environment } from '../config.ts';
import { openJournalRoom } from '../journal/index.ts';
import { createSessionFile, type Dispatch, type SessionFile } from '../link/index.ts';
import { createLog, type Log } from '../log/index.ts';
import {
  effectiveModes,
  openSettings,
  type Ask,
  type Modes,
  type SettingsStore,
} from '../permission/index.ts';
import { createStatusFile } from '../status/index.ts';
import { createAskInTerminal } from '../terminal/ask.ts';
import type { Talk } from '../terminal/talk.ts';
import { createWaiting } from '../terminal/waiting.ts';
import { createOwnInput, stillStarting, switchedOff, type OwnInput } from '../tools/index.ts';
import { errors } from './errors.ts';
import { hostIdentifier } from './identity.ts';
import { clearLeftovers } from './leftovers.ts';
import { createOffer, type Offer } from './offer.ts';
import { readOptions, type ConnectOptions, type ParsedLine } from './options.ts';
import { findRootFolder, type RootFolder } from './root-folder.ts';
import { showUrl } from './server-url.ts';
import { toAll } from './session-events.ts';
import { inLog, inStatus, inTerminal } from './session-watchers.ts';
import { createSession, type Session } from './session.ts';
import { showEnding } from './show-link.ts';
import { askForToken, askToStart } from './start-question.ts';
import { summary } from './summary.ts';
import { wantedModes } from './wanted-modes.ts';

export interface ConnectNeeds {
  environment: Environment;
  talk: Talk;
  version: string;
  /** Whether a person can be asked here. */
  isTerminal: boolean;
  /** Calls one on the first signal: Ctrl-C ends the session, TERM only this process. Gives a function that stops listening. */
  onSignal(session: { stop(): void; pause(): void }): () => void;
}

interface Target {
  url: URL;
  key: string;
}

/** Where to connect and with what: the person's words, else the session of the last time. */
const findTarget = async (
  options: ConnectOptions,
  sessionFile: SessionFile,
  ask: boolean,
): Promise<Target> => {
  const { url, token } = options;
  if (url !== null && token !== null) return { url, key: token };
  if (url === null && token !== null)
    throw errors.wrongUse({ message: 'The address of the server is missing' });
  const session = await sessionFile.read();
  const fits =
    session !== null &&
    session.hostIdentifier === hostIdentifier() &&
    (url === null || url.href === session.url);
  if (fits) return { url: new URL(session.url), key: session.key };
  if (url === null || !ask) throw errors.notPaired();
  const asked = await askForToken();
  if (asked === null) throw errors.declined();
  return { url, key: asked };
};

const settleModes = async (
  options: { start: RootFolder; url: URL; modes: Modes; shellSandbox: boolean; ask: boolean },
  talk: Talk,
): Promise<Modes> => {
  const { start, modes, shellSandbox, ask } = options;
  const shown = { url: showUrl(options.url), folder: start.path, modes, shellSandbox };
  if (ask) return askToStart({ ...shown, wide: start.wide }, talk);
  if (start.wide !== null) {
    throw errors.badFolder({ message: `${start.path} is too much to offer without a question` });
  }
  talk.block(summary(shown));
  return modes;
};

const refuseNothing = (modes: Modes): void => {
  if (Object.values(modes).every((mode) => mode === 'deny')) throw errors.nothingAllowed();
};

const runUntilEnd = async (
  session: Session,
  key: string,
  needs: ConnectNeeds & { ask: boolean; url: string },
) => {
  const stopListening = needs.onSignal({
    stop: () => void session.stop(),
    pause: () => void session.pause(),
  });
  const ending = await session.run(key, async () => (needs.ask ? askForToken() : null));
  stopListening();
  const gaveUp = ending.reason === 'failed' && ending.failure.kind === 'refused';
  return gaveUp ? 1 : showEnding(needs.talk, ending, needs.url);
};

/** What the person should know of what is offered, and what is switched on but missing. */
const tellOfTools = (offer: Offer, talk: Talk): void => {
  for (const { name, enabled, reason } of offer.toolCategories()) {
    if (reason === undefined || reason === switchedOff) continue;
    if (reason === stillStarting) talk.line('starting', `${name}: ${reason}`, 'gray');
    else talk.line(enabled ? 'careful' : 'not offered', `${name}: ${reason}`, 'yellow');
  }
};

interface WhereToAsk {
  ask: Ask;
  around(dispatch: Dispatch): Dispatch;
}

const whereToAsk = (options: ConnectOptions, needs: ConnectNeeds, ownInput: OwnInput): WhereToAsk => {
  if (options.confirm === 'panel') return { ask: { kind: 'panel' }, around: (dispatch) => dispatch };
  if (!needs.isTerminal) {
    throw errors.wrongUse({ message: '--confirm terminal needs a terminal', fix: 'Use --confirm panel.' });
  }
  const { talk } = needs;
  const askInTerminal = createAskInTerminal({
    clock: systemClock,
    talk,
    input: process.stdin,
    isOwnInput: ownInput.isActive,
    output: process.stderr,
  });
  const waiting = createWaiting(systemClock);
  return {
    ask: { kind: 'terminal', askInTerminal: waiting.askInTerminal(askInTerminal) },
    around: waiting.dispatch,
  };
};

interface Serving extends ConnectNeeds {
  settings: SettingsStore;
  sessionFile: SessionFile;
  confirm: WhereToAsk;
  log: Log;
  modes: Modes;
  url: URL;
  key: string;
  ask: boolean;
  rootPath: string;
}

const serve = async (offer: Offer, needs: Serving): Promise<number> => {
  const { settings, sessionFile, confirm, log, modes, url, key, talk, version, rootPath } = needs;
  const room = await openJournalRoom({
    clock: systemClock,
    privateFolder: settings.folder,
    server: { url, host: hostIdentifier() },
  });
  await clearLeftovers(room.journal.found, { clock: systemClock, talk });
  const startedAt = new Date(systemClock.now()).toISOString();
  log.write('started', { pid: process.pid, version, url: showUrl(url), folder: rootPath, modes });
  const status = createStatusFile(
    {
      pid: process.pid,
      version,
      url: showUrl(url),
      host: hostIdentifier(),
      folder: rootPath,
      startedAt,
      modes,
      categories: offer.toolCategories(),
      link: { state: 'connecting', since: startedAt },
      heldBack: false,
      calls: { running: 0, ok: 0, failed: 0, denied: 0, asked: 0, cancelled: 0 },
    },
    { folder: room.folder, clock: systemClock },
  );
  status.update({}, 'soon');
  const session = createSession({
    clock: systemClock,
    random: Math.random,
    events: toAll([
      inTerminal({ clock: systemClock, talk, url: showUrl(url) }),
      inLog(log),
      inStatus(status, { clock: systemClock, offer }),
    ]),
    url,
    journal: room.journal,
    sessionFile,
    offer: { ...offer, dispatch: confirm.around(offer.dispatch) },
    machine: { rootPath, version, instance: room.instance },
  });
  const code = await runUntilEnd(session, key, { ...needs, url: showUrl(url) });
  await status.close();
  await room.close();
  return code;
};

/** `drawbridge connect`: stays until the session ends, and gives the exit code. */
export const connect = async (line: ParsedLine, needs: ConnectNeeds): Promise<number> => {
  const { environment, talk } = needs;
  const options = readOptions(line, environment);
  const ownInput = createOwnInput(systemClock);
  const confirm = whereToAsk(options, needs, ownInput);
  const ask = needs.isTerminal && !options.nonInteractive;
  const settings = await openSettings(environment.privateFolder, systemClock);
  const sessionFile = createSessionFile({
    folder: environment.privateFolder,
    clock: systemClock,
    keyStore: options.keyStore,
  });
  await sessionFile.tryOut();
  const { url, key } = await findTarget(options, sessionFile, ask);
  const start = await findRootFolder(options.dir ?? '.', homedir());
  const wanted = wantedModes(options, settings);
  refuseNothing(wanted);
  const { shellSandbox } = options;
  const modes = effectiveModes(await settleModes({ start, url, modes: wanted, shellSandbox, ask }, talk));
  refuseNothing(modes);
  const log = createLog({ privateFolder: settings.folder, clock: systemClock });
  const offer = await createOffer({
    clock: systemClock,
    settings,
    modes,
    ask: confirm.ask,
    root: start.path,
    families: {
      say: (sentence) => {
        talk.line('tools', sentence, 'yellow');
        log.write('note', { text: sentence });
      },
      shellSandbox: options.shellSandbox,
      ownInput,
      browser: { mode: options.browser ?? settings.browserMode(), serverUrl: url.href },
    },
    sayOfRules: (sentence) => {
      talk.line('rules', sentence, 'yellow');
      log.write('rules', { text: sentence });
    },
  });
  try {
    tellOfTools(offer, talk);
    if (offer.tools().length === 0) throw errors.nothingAllowed();
    return await serve(offer, {
      ...needs,
      settings,
      sessionFile,
      confirm,
      log,
      modes,
      url,
      key,
      ask,
      rootPath: start.path,
    });
  } finally {
    // Also when it cannot be served: the tools have begun to start what they need.
    await offer.close();
    await log.settled();
  }
};
