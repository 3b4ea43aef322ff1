import type { Channel, ChannelAnswerLevel, ChannelKind } from '@drawbridge/contracts/outside/channels';

export const channelNames: Record<ChannelKind, string> = { telegram: 'Telegram' };

/** How messages arrive. */
export const modeItems = [
  { value: 'poll', label: 'This server asks for them' },
  { value: 'webhook', label: 'The platform posts them' },
] as const;

/** The buttons that a question has. */
export const answerWords: Record<ChannelAnswerLevel, string> = {
  off: 'A link, no buttons',
  deny: 'Deny',
  once: 'Allow once, Deny',
};

/** The state of a channel in a few words. */
export const stateWords = ({ state, isOn }: Channel): string => {
  switch (state) {
    case 'off':
      return isOn ? 'Not connected' : 'Off';
    case 'starting':
      return 'Connecting';
    case 'working':
      return 'Working';
    case 'key':
      return 'Token refused';
    case 'conflict':
      return 'Used by another program';
    case 'unreachable':
      return 'Not reachable';
    default:
      return state satisfies never;
  }
};
