import { homedir } from 'node:os';
import { visible } from '@drawbridge/kit';
import { whySensitive } from '../../permission/index.ts';
import { findProgram } from '../../paths/programs.ts';
import { isWithin } from '../../paths/protected.ts';
import { ownCommand, shellWord } from '../../program/own-command.ts';
import { realPathOf } from '../../program/quiet-files.ts';
import { ownEnvironment } from './config.ts';
import type { Look } from './sandbox/visible/visible-places.ts';

const missing =
  /no such file|not found|ENOENT|cannot (find|open|access)|can't (find|open|cd)|does not exist|not a git repository/i;
const pathInText = /(?<![\w.$}/-])(?:~|\/[\w.@+-]+)(?:\/[\w.@+-]+)*/g;
/** Paths of a command's own: what is missing there is missing. */
const ownFolders = ['/tmp', '/dev', '/proc'];

interface Printed {
  output: string;
  look(): Look;
}

/** A path out of sight that was most likely wanted. The disk is not read: a note tells nothing of it. */
const unseenIn = (command: string, output: string, { sees }: Look): string | undefined => {
  const program = /(?:^|: )([\w.+-]+): (?:command )?not found/m.exec(output)?.[1];
  const installed = program === undefined ? undefined : findProgram(program, ownEnvironment()['PATH'] ?? '');
  const home = homedir();
  const texts = `${output}\n${command.replaceAll(/\$(HOME\b|\{HOME\})/g, home)}`;
  const named = [...texts.matchAll(pathInText)].map(([path]) =>
    path.startsWith('~') ? home + path.slice(1) : path,
  );
  return [...(installed === undefined ? [] : [realPathOf(installed) ?? installed]), ...named].find(
    (path) => path !== home && !ownFolders.some((folder) => isWithin(path, folder)) && !sees(path),
  );
};

/** Says how the path is opened; for what may hold keys it does not ask for that. */
const notSeen = (path: string, { isClosed }: Look): string => {
  const said = `A command in the sandbox sees the shared folder, the system and its toolchains, and not ${visible(path)}.`;
  const mayHoldKeys = isClosed(path) || whySensitive('/', { toolGroup: 'filesystemRead', resource: path });
  return mayHoldKeys
    ? said
    : `${said} The owner of this machine can let commands read it: ${ownCommand(`sandbox add ${shellWord(path)}`)}`;
};

/** What a command should know where it most likely failed for a path that it does not see. */
export const noteOfUnseen = (command: string, { output, look }: Printed): string | undefined => {
  if (!missing.test(output)) return undefined;
  const found = look();
  const path = unseenIn(command, output, found);
  return path === undefined ? undefined : notSeen(path, found);
};
