import { modes as modeNames, toolGroups, type ToolGroup } from '@drawbridge/contracts/groups';
import type { Modes } from '../../permission/index.ts';
import { errors } from '../common/errors.ts';
import { summary, type Summed } from '../common/summary.ts';
import { groupLabel } from '../../permission/index.ts';
import type { TerminalOutput } from '../../terminal/terminal-output.ts';

// Only a person at a terminal pays for loading the prompts.
const loadPrompts = () => import('@clack/prompts');

const output = process.stderr;

const editModes = async (modes: Modes): Promise<Modes> => {
  const { isCancel, select } = await loadPrompts();
  const group = await select<ToolGroup | 'done'>({
    output,
    message: 'Which mode do you want to change?',
    options: [
      { value: 'done', label: 'none: continue' },
      // The mode of system is changed in the settings file only.
      ...toolGroups
        .filter((name) => name !== 'system')
        .map((name) => ({ value: name, label: `${groupLabel(name)}: ${modes[name]}` })),
    ],
  });
  if (isCancel(group)) throw errors.declined();
  if (group === 'done') return modes;
  const mode = await select({
    output,
    message: groupLabel(group),
    initialValue: modes[group],
    options: modeNames.map((value) => ({ value })),
  });
  if (isCancel(mode)) throw errors.declined();
  return editModes({ ...modes, [group]: mode });
};

/** Shows the summary and asks once. Returns the modes for this session; throws `declined` on a no. */
export const askToStart = async (start: Summed, terminal: TerminalOutput): Promise<Modes> => {
  terminal.printText(summary(start));
  const { isCancel, selectKey } = await loadPrompts();
  // A value is the key that is shown; Enter gives nothing, and stands for the first option.
  const answer = await selectKey({
    output,
    message: 'Connect with these permissions?',
    options: [
      { value: 'y', label: 'Yes' },
      { value: 'e', label: 'Edit', hint: 'for this session' },
      { value: 'n', label: 'No' },
    ],
  });
  if (isCancel(answer) || answer === 'n') throw errors.declined();
  return answer === 'e' ? editModes(start.modes) : start.modes;
};

/** The token in what was pasted: a bare token or key, or the whole command that the panel shows. */
export const findToken = (pasted: string): string | null => {
  const words = pasted.trim().split(/\s+/);
  const token = words.find((word) => /^(gw|sess)_/.test(word)) ?? words[0] ?? '';
  return /^[!-~]{1,512}$/.test(token) ? token : null;
};

export const askForToken = async (): Promise<string | null> => {
  const { isCancel, password } = await loadPrompts();
  const pasted = await password({
    output,
    message: 'Paste a new token, or the whole command from the panel',
    validate: (value) => (findToken(value ?? '') === null ? 'This contains no token' : undefined),
  });
  return isCancel(pasted) ? null : findToken(pasted);
};
