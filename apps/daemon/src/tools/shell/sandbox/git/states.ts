import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { words } from '../../../../text/words.ts';
import { readPlainFile, readTodo, withoutCommands } from './rebase-todo.ts';

const maxTextBytes = 1024 * 1024;

/** Whether git runs no program of a command's choice with this text. */
type Rule = (text: string) => boolean;

const anyText: Rule = () => true;
/** Each part has this shape; one expression for all of them could take for ever. */
const each =
  (separator: RegExp, shape: RegExp): Rule =>
  (text) =>
    text
      .trim()
      .split(separator)
      .every((part) => part === '' || shape.test(part));

const strategies = '(?:ort|recursive|resolve|octopus|ours|subtree)';
const mergeOption =
  '(?:ours|theirs|patience|minimal|histogram|diff-algorithm=\\w+|(?:no-)?renormalize|no-renames|find-renames(?:=\\d+%?)?|' +
  'ignore-(?:space-change|all-space|space-at-eol|cr-at-eol)|rename-threshold=\\d+%?|subtree(?:=[\\w./-]+)?)';

/** The text of a list of what git does next. */
const todo: Rule = (text) => withoutCommands(text).dropped === 0;
const strategy = each(/\n/, new RegExp(`^${strategies}$`));
const strategyOptions = each(/\s+/, new RegExp(`^'?(?:--)?${mergeOption}'?$`));
/** A key of `gpg`; a path is a key of `ssh`, which the command could choose. */
const signing = each(/\n/, /^-S[\w@.+]*$/);
const author = each(/\n/, /^GIT_AUTHOR_(?:NAME|EMAIL|DATE)=(?:'[^']*'|\\')+$/);
const applyOptions = each(
  /(?<=') (?=')/,
  /^'(?:--whitespace=[\w-]+|-[Cp]\d+|--ignore-(?:whitespace|space-change)|--reject|--(?:directory|exclude|include)=[^']*)'$/,
);
const sequencerOptions = each(
  /\s*\n\s*/,
  new RegExp(
    '^(?:\\[options\\]|(?:no-commit|edit|allow-empty|allow-empty-message|signoff|record-origin|allow-ff|allow-rerere-auto|' +
      'keep-redundant-commits|drop-redundant-commits|commit-use-reference) = (?:true|false)|mainline = \\d+|' +
      `strategy = ${strategies}|strategy-option = ${mergeOption}|default-msg-cleanup = \\w+|gpg-sign = [\\w@.+]*)$`,
  ),
);

const table = (plain: string, rules: Record<string, Rule>): ReadonlyMap<string, Rule> =>
  new Map([...words(plain).map((name): [string, Rule] => [name, anyText]), ...Object.entries(rules)]);

/** What git keeps of a rebase, an `am` and a list of picks that have stopped. Nothing else is left there. */
const states: ReadonlyMap<string, ReadonlyMap<string, Rule>> = new Map([
  [
    'rebase-merge',
    table(
      `done head-name onto orig-head interactive quiet verbose signoff msgnum end message message-fixup message-squash
       fixup-commits current-fixups amend stopped-sha rewritten-list rewritten-pending autostash refs-to-delete update-refs
       drop_redundant_commits keep_redundant_commits reschedule-failed-exec no-reschedule-failed-exec cdate_is_adate
       ignore_date allow_rerere_autoupdate squash-onto patch dropped trailer`,
      {
        'git-rebase-todo': todo,
        'git-rebase-todo.backup': todo,
        strategy,
        strategy_opts: strategyOptions,
        gpg_sign_opt: signing,
        'author-script': author,
      },
    ),
  ],
  [
    'rebase-apply',
    table(
      `next last threeway quiet utf8 keep scissors messageid quoted-cr sign signoff rebasing applying head-name onto orig-head
       abort-safety final-commit original-commit dirtyindex autostash rewritten info msg patch patch-merge-index message
       allow_rerere_autoupdate no_inbody_headers`,
      {
        'apply-opt': applyOptions,
        strategy,
        strategy_opts: strategyOptions,
        gpg_sign_opt: signing,
        'author-script': author,
      },
    ),
  ],
  ['sequencer', table('head abort-safety', { todo, opts: sequencerOptions })],
]);

export const stateFolders: ReadonlySet<string> = new Set(states.keys());

/** A mail of `rebase-apply`. */
const numbered = /^\d{4,}$/;

const isAllowed = (path: string, rule: Rule | undefined): boolean => {
  if (rule === undefined) return false;
  if (rule === anyText) return true;
  const text = rule === todo ? readTodo(path) : readPlainFile(path, maxTextBytes);
  return text !== undefined && rule(text);
};

/** Names of the entries of a state's folder that git does not write there, or that start a program. */
export const unsafeEntries = (folder: string, state: string): string[] => {
  const rules = states.get(state);
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => {
        const rule = state === 'rebase-apply' && numbered.test(entry.name) ? anyText : rules?.get(entry.name);
        return !entry.isFile() || !isAllowed(join(folder, entry.name), rule);
      })
      .map(({ name }) => name);
  } catch {
    // Gone, or closed to us.
    return [];
  }
};

/** The lists of what git does next, of which single lines can be removed. */
export const todoNames: ReadonlySet<string> = new Set(['git-rebase-todo', 'git-rebase-todo.backup', 'todo']);
