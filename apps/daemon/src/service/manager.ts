import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { launchdLabel, launchdPlist } from './launchd-plist.ts';
import type { ServiceFacts } from './facts.ts';
import { systemdUnit } from './systemd-unit.ts';

/** `words`: the first line of the output. */
export interface CommandResult {
  ok: boolean;
  words: string;
}

export type RunCommand = (command: string, args: readonly string[]) => Promise<CommandResult>;

const commandMs = 30_000;

const runSystemCommand: RunCommand = (command, args) =>
  new Promise((resolve) => {
    execFile(command, [...args], { timeout: commandMs }, (error, stdout, stderr) => {
      const words = `${stdout}${stderr}`.trim().split('\n')[0] ?? '';
      resolve({ ok: error === null, words: words || (error?.message.split('\n')[0] ?? '') });
    });
  });

export interface ServiceManager {
  name: string;
  path: string;
  unit(facts: ServiceFacts): string;
  start(): Promise<CommandResult>;
  stop(): Promise<CommandResult>;
  isActive(): Promise<boolean>;
  restartCommand: string;
  /** Whether it runs while the user is signed out; null where that is not supported. */
  lingers(): Promise<boolean | null>;
}

const unitName = 'drawbridge.service';

const systemd = (home: string, run: RunCommand): ServiceManager => {
  const systemctl = (...args: string[]) => run('systemctl', ['--user', ...args]);
  return {
    name: 'systemd',
    path: join(home, '.config/systemd/user', unitName),
    unit: systemdUnit,
    restartCommand: `systemctl --user restart ${unitName}`,
    start: async () => {
      const reloaded = await systemctl('daemon-reload');
      if (!reloaded.ok) return reloaded;
      const enabled = await systemctl('enable', unitName);
      return enabled.ok ? systemctl('restart', unitName) : enabled;
    },
    stop: () => systemctl('disable', '--now', unitName),
    isActive: async () => (await systemctl('is-active', unitName)).ok,
    lingers: async () =>
      (await run('loginctl', ['show-user', '--property=Linger', '--value'])).words === 'yes',
  };
};

const launchd = ({ home, uid }: { home: string; uid: number }, run: RunCommand): ServiceManager => {
  const domain = `gui/${uid}`;
  const path = join(home, 'Library/LaunchAgents', `${launchdLabel}.plist`);
  const bootout = () => run('launchctl', ['bootout', `${domain}/${launchdLabel}`]);
  return {
    name: 'launchd',
    path,
    unit: launchdPlist,
    restartCommand: `launchctl kickstart -k ${domain}/${launchdLabel}`,
    start: async () => {
      // One that is not there is no failure: it is about to be.
      await bootout();
      return run('launchctl', ['bootstrap', domain, path]);
    },
    stop: bootout,
    isActive: async () => (await run('launchctl', ['print', `${domain}/${launchdLabel}`])).ok,
    lingers: async () => null,
  };
};

/** Null where this system has none that is known here. */
export const findManager = (
  system: { platform: NodeJS.Platform; home: string; uid: number },
  run: RunCommand,
): ServiceManager | null => {
  if (system.platform === 'linux') return systemd(system.home, run);
  if (system.platform === 'darwin') return launchd(system, run);
  return null;
};

export const ownManager = (): ServiceManager | null =>
  findManager(
    { platform: process.platform, home: homedir(), uid: process.getuid?.() ?? 0 },
    runSystemCommand,
  );
