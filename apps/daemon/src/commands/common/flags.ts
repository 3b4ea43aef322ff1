import { modes, toolGroups } from '@drawbridge/contracts/groups';
import { Option, type Command } from 'commander';
import { kebab } from '../../config.ts';
import { ways } from '../../link/index.ts';
import { browserModes } from '../../permission/index.ts';

export const addInsecure = (command: Command): Command =>
  command.option('--allow-insecure-http', 'allow http:// to another machine');

export const addKeyStore = (command: Command): Command =>
  command.addOption(
    new Option(
      '--key-store <where>',
      'where the session key is kept (default: keyring where it works)',
    ).choices(['file', 'keyring']),
  );

export const addBrowser = (command: Command): Command =>
  command.addOption(
    new Option('--browser <profile>', "the browser's profile (default: ephemeral)")
      .choices([...browserModes])
      // The choices are for the help; other values are refused with a reason, as in the environment.
      .argParser((value) => value),
  );

export const addLink = (command: Command): Command =>
  command.addOption(
    new Option(
      '--link <way>',
      'how calls arrive (default: socket, and the stream where that is refused)',
    ).choices([...ways]),
  );

export const addModes = (command: Command): Command => {
  command.option('--read-only', 'a safe start: reading files is allowed, everything else is on deny');
  for (const group of toolGroups) {
    command.addOption(
      new Option(`--permission-${kebab(group)} <mode>`, `mode of ${group} for this session`).choices([
        ...modes,
      ]),
    );
  }
  return command;
};
