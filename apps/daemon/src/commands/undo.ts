import type { Preview } from '@drawbridge/contracts/preview';
import { previewRows, rowSigns } from '@drawbridge/contracts/preview-rows';
import { hasCode, systemClock, visible } from '@drawbridge/kit';
import type { Command } from 'commander';
import { nanoid } from 'nanoid';
import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { createKeeper, listChanges, type KeptChange } from '../kept/index.ts';
import { openPrivateFolder } from '../private-files/private-folder.ts';
import { ownCommand } from '../program/own-command.ts';
import { counted } from '../text/words.ts';
import { toLazyTool } from '../tools/common/lazy-tool.ts';
import { createDispatch } from '../tools/index.ts';
import { openGate } from '../tools/open-gate.ts';
import {
  confirm,
  inWords,
  jsonFlag,
  mustBeAskable,
  type Answer,
  type AnswerWith,
  type CommandContext,
} from './common/command.ts';
import { errors } from './common/errors.ts';
import { findRootFolder } from './common/root-folder.ts';
import { roughly } from './common/times.ts';

interface Flags {
  dir?: string;
  all?: boolean;
  evenIfChanged?: boolean;
  yes?: boolean;
  json?: boolean;
}

const shownChanges = 20;
const idLength = 8;

/** Of a change, for a person to type: the id of a call may begin with a hyphen. */
const shortId = ({ requestId }: KeptChange): string =>
  createHash('sha256').update(requestId).digest('hex').slice(0, idLength);

const examples = `
What file tools change is kept for 7 days, at most 500 MiB of it. What commands
change is not.

Examples:
  $ drawbridge undo
  $ drawbridge undo last
  $ drawbridge undo 3fa9c1b2 --even-if-changed`;

const place = async ({ environment }: CommandContext, { dir }: Flags) => ({
  root: await findRootFolder(dir ?? '.'),
  privateFolder: await openPrivateFolder(environment.privateFolder),
  clock: systemClock,
});

const filesOf = ({ files, root }: KeptChange): string => {
  const [first, ...others] = files.map(({ path }) => visible(relative(root, path)));
  return others.length === 0 ? String(first) : `${first} and ${counted(others.length, 'more file')}`;
};

const list = async (context: CommandContext, flags: Flags): Promise<Answer> => {
  const { root, privateFolder } = await place(context, flags);
  const limit = flags.all === true ? Infinity : shownChanges;
  const changes = await listChanges(privateFolder, { root, limit });
  return {
    text: (row) => [
      ...changes.map((change) => {
        const age = `${roughly(systemClock.now() - change.at)} ago`;
        return row(shortId(change), `${visible(change.tool)}  ${filesOf(change)}  ${age}`);
      }),
      changes.length === 0
        ? `Nothing is kept of changes below ${visible(root)}.`
        : row(
            'next',
            `${ownCommand('undo <id>')}, or ${ownCommand('undo last')}, shows a change back and asks`,
          ),
    ],
    json: changes.map((change) => ({
      change: shortId(change),
      call: change.requestId,
      tool: change.tool,
      at: new Date(change.at).toISOString(),
      files: change.files.map(({ path }) => relative(root, path)),
    })),
    code: 0,
  };
};

/** A change back as lines of a patch. */
const patchOf = (preview: Preview | undefined): string[] =>
  preview?.kind === 'diff'
    ? previewRows(preview).map(({ kind, text }) => `${rowSigns[kind]} ${visible(text)}`)
    : [];

const findOne = async (privateFolder: string, { root, id }: { root: string; id: string }) => {
  const changes = await listChanges(privateFolder, { root, limit: id === 'last' ? 1 : Infinity });
  const found =
    id === 'last' ? changes : changes.filter((one) => one.requestId === id || shortId(one) === id);
  const [change] = found;
  if (change === undefined)
    throw errors.wrongUse({
      message: `Nothing is kept of ${id === 'last' ? 'changes' : `a change ${visible(id)}`} below ${visible(root)}`,
      fix: `${ownCommand('undo')} lists what is kept. Run it in the shared folder, or add --dir.`,
    });
  return change;
};

/** Undoes as the tool does, with the person at the machine in the place of its permissions. */
const undo = async (context: CommandContext, ids: readonly string[], flags: Flags): Promise<Answer> => {
  const { yes = false, evenIfChanged = false } = flags;
  mustBeAskable(yes, context, 'This changes files');
  const own = await place(context, flags);
  const changes: KeptChange[] = [];
  for (const id of ids) changes.push(await findOne(own.privateFolder, { root: own.root, id }));
  const { undoChange } = await import('../tools/filesystem/undo/undo-change.ts');
  const given = { changes: changes.map(({ requestId }) => requestId), evenIfChanged };
  const { signal } = context;
  const looking = { ...own, signal, reading: await openGate.reader() };
  const resources = await undoChange.resources(given, looking).catch((error: unknown) => {
    if (!(error instanceof Error && hasCode(error, 'CHANGED_SINCE'))) throw error;
    throw errors.notUndone({
      message: error.message,
      fix: `${ownCommand(`undo ${ids.join(' ')} --even-if-changed`)} replaces what is there now.`,
    });
  });
  const question = await undoChange.asks(given, resources, looking);
  for (const line of patchOf(await undoChange.preview?.(given, looking))) context.print(line);
  if (!yes && !(await confirm(question, true))) return { ...inWords('Nothing was changed.'), code: 1 };
  const dispatch = createDispatch({
    ...own,
    find: (name) => (name === undoChange.name ? toLazyTool(undoChange) : undefined),
    gate: openGate,
    keeper: createKeeper(own),
  });
  const requestId = nanoid();
  const result = await dispatch(
    { requestId, toolCall: { name: undoChange.name, arguments: given } },
    { tag: requestId, signal, progress: () => {}, starting: async () => {}, delivered: Promise.resolve() },
  );
  const [said] = result.content;
  if (result.isError === true) throw errors.notUndone(said?.type === 'text' ? { message: said.text } : {});
  return {
    text: (row) => [
      ...changes.map((change) => row('undone', filesOf(change))),
      row('again', ownCommand('undo last')),
    ],
    json: result.structuredContent,
    code: 0,
  };
};

/** `drawbridge undo`: what file tools changed, put back as it was. */
export const addUndo = (program: Command, answer: AnswerWith): void => {
  program
    .command('undo')
    .description('undo what a file tool changed in the shared folder')
    .argument('[ids...]', 'of changes, or "last"; without them the changes are listed')
    .option('--dir <folder>', 'the shared folder (default: the current one)')
    .option('--all', `list all changes, not the newest ${shownChanges}`)
    .option('--even-if-changed', 'also where a file has changed again since')
    .option('--yes', 'do not ask')
    .option(...jsonFlag)
    .addHelpText('after', examples)
    .action((ids: string[], flags: Flags) =>
      answer(flags, (context) => (ids.length === 0 ? list(context, flags) : undo(context, ids, flags))),
    );
};
