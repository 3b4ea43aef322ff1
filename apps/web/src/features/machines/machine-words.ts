import type { MachineNumbers, MachineSummary, RefusedPairing } from '@drawbridge/contracts/machines/summary';
import { groupWords } from '../../ui/text/words.ts';

const named = ['filesystemRead', 'filesystemWrite', 'shell', 'computer', 'browser', 'mcp', 'runtime'];

/** What a machine offers, in a few words: "Read files, Run commands". */
export const offeredWords = ({
  modes,
  toolCategories,
}: Pick<MachineSummary, 'modes' | 'toolCategories'>): string => {
  if (modes === null) return '';
  const missing = new Set(toolCategories.filter(({ enabled }) => !enabled).map(({ name }) => name));
  return named
    .filter((group) => modes[group] !== undefined && modes[group] !== 'deny' && !missing.has(group))
    .map((group) => groupWords(group).label)
    .join(', ');
};

const refusedTexts: Record<RefusedPairing['code'], string> = {
  PAIRING_TOKEN_USED: 'came with a token that was used already',
  PAIRING_TOKEN_EXPIRED: 'came with a token that has expired or was replaced',
  PAIRING_ENDED: 'came with a key whose pairing has ended',
  TOO_MANY_MACHINES: 'was refused: you have the maximum number of machines',
  MACHINE_NAME_TAKEN: 'was refused: another machine has the name that it asked for',
};

/** Why a daemon was refused, as the end of a sentence about it. */
export const refusedText = ({ code }: RefusedPairing): string => refusedTexts[code];

/** "212 calls, 9 asked, 1 denied today"; only the place where they are, until they are known. */
export const numbersText = (numbers: Omit<MachineNumbers, 'machineId'> | null): string => {
  if (numbers === null) return 'Calls today';
  const { calls, asked, denied } = numbers;
  const parts = [
    `${calls} ${calls === 1 ? 'call' : 'calls'}`,
    ...(asked > 0 ? [`${asked} asked`] : []),
    ...(denied > 0 ? [`${denied} denied`] : []),
  ];
  return `${parts.join(', ')} today`;
};
