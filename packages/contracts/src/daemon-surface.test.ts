import { expect, it } from 'vitest';
import { daemonInfo } from './daemon-surface.ts';

it.each(['drawbridge connect\u202e', 'drawbridge connect\nrm -r .', 'x'.repeat(5_001)])(
  'a command to reconnect that cannot be shown as it is is left out: %j',
  (hidden) => {
    const info = { version: '0.1.0', protocol: 1, features: [] };
    expect(daemonInfo.parse({ ...info, reconnect: hidden })).toEqual({ ...info, reconnect: undefined });
  },
);
