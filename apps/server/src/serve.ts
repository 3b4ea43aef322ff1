import { systemClock } from '@drawbridge/kit';
import { createApp, type App } from './app.ts';
import { drainMs } from './compose/servers/drain.ts';
import type { Config } from './config.ts';
import { isLoopback } from './http/index.ts';
import { fail, sentenceOf } from './program/sentences.ts';
import { writeServerPlace } from './compose/local/server-place.ts';

/** A shutdown that takes longer than this, after the drain, is forced. */
const forceAfterMs = 4_800;
/** One Ctrl-C under `npx pnpm` comes up to three times: from the terminal, and passed on by both. */
const oneKeyMs = 500;

/** Where the server listens, and the variables that say so. */
const placesOf = ({ host, port, rpcPort, tailscaleAddress, tailscalePort }: Config) => [
  { host, port, names: { host: 'HOST', port: 'PORT' } },
  { host, port: rpcPort, names: { host: 'HOST', port: 'RPC_PORT' } },
  {
    host: tailscaleAddress,
    port: tailscalePort,
    names: { host: 'TAILSCALE_ADDRESS', port: 'TAILSCALE_PORT' },
  },
];

const listenSentence = (error: unknown, config: Config): string => {
  if (!(error instanceof Error && 'code' in error)) return sentenceOf(error);
  const place = placesOf(config).find(({ host, port }) =>
    'port' in error ? port === error.port : 'hostname' in error && host === error.hostname,
  );
  if (!place) return sentenceOf(error);
  const { host, port, names } = place;
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use. Stop what uses it, or set ${names.port}.`;
    case 'EACCES':
      return `Port ${port} on ${host} needs more rights than this user has. Set ${names.port} to a number above 1023.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `This machine has no address ${host}. Set ${names.host}.`;
    default:
      return sentenceOf(error);
  }
};

/** Logs an uncaught error, with keys hidden, and ends the process: its state is unknown. */
const endOnUncaught = (app: App) => {
  const end = (error: unknown) => {
    app.log.fatal({ err: error }, 'The process ends: uncaught error');
    process.exit(1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
};

const stopOnSignals = (app: App, config: Config) => {
  let stoppedAt: number | undefined;
  const stop = (signal: NodeJS.Signals) => {
    if (stoppedAt !== undefined) {
      if (systemClock.now() - stoppedAt > oneKeyMs) process.exit(1);
      return;
    }
    stoppedAt = systemClock.now();
    app.log.info({ signal }, 'shutting down');
    // A person who presses Ctrl-C does not wait for other servers.
    const drains = signal === 'SIGTERM';
    systemClock.after(forceAfterMs + (drains ? drainMs(config) : 0), () => process.exit(0));
    app.close({ drains }).then(
      () => process.exit(0),
      (error: unknown) => {
        app.log.error({ err: error }, 'shutdown failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
};

/** Why daemons of this account do not know where the store is; null where they do. */
const announcePlace = (config: Config): unknown => {
  try {
    writeServerPlace(config);
    return null;
  } catch (error) {
    return error;
  }
};

/** Runs the server until a signal ends it. */
export const serve = async (config: Config) => {
  // Before the first secret is written.
  const notAnnounced = announcePlace(config);
  const app = await createApp({
    config,
    clock: systemClock,
    writeLog: (line) => void process.stderr.write(line),
  });
  if (!isLoopback(config.host) && config.publicUrl === undefined) {
    app.log.warn(
      `HOST is ${config.host} and PUBLIC_URL is not set. Set it to the https address of the server.`,
    );
  }
  if (notAnnounced !== null)
    app.log.warn(
      { err: notAnnounced },
      'The place of the data folder could not be written below the home folder: a daemon of this account outside of LOCAL_GATEWAY_DIR does not know it.',
    );
  endOnUncaught(app);
  stopOnSignals(app, config);
  try {
    const url = await app.listen();
    const setupLink = await app.setupLink();
    process.stdout.write(`Drawbridge is ready on ${url}\n`);
    process.stdout.write(`Data: ${config.dataDir}\n`);
    if (setupLink !== null) process.stdout.write(`Create the owner account: ${setupLink}\n`);
  } catch (error) {
    fail(listenSentence(error, config));
  }
};
