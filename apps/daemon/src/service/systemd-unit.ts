import type { ServiceFacts } from './facts.ts';

/** In a unit `%` and `$` mean something, and a word may be quoted. */
const quote = (word: string, dollars: '$' | '$$'): string => {
  if (/[\0\n\r]/.test(word)) throw new Error('A unit cannot hold a line break');
  const escaped = word
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('%', '%%')
    .replaceAll('$', () => dollars);
  return `"${escaped}"`;
};

/** A systemd user unit: restarts after a crash, not after wrong use, a disconnect or 5 failures. */
export const systemdUnit = ({ node, cli, args, folder, path }: ServiceFacts): string =>
  [
    '[Unit]',
    'Description=Drawbridge: offers the tools of this machine within what you allow',
    'StartLimitIntervalSec=900',
    'StartLimitBurst=5',
    '',
    '[Service]',
    `ExecStart=${[node, cli, 'connect', '--non-interactive', '--dir', folder, ...args].map((word) => quote(word, '$$')).join(' ')}`,
    `Environment=${quote(`PATH=${path}`, '$')}`,
    'UMask=0077',
    'Restart=on-failure',
    'RestartPreventExitStatus=2',
    'RestartSec=20',
    'TimeoutStopSec=20',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n');
