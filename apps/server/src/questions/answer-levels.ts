import {
  channelAnswerLevels,
  channelOptions,
  type ChannelAnswer,
  type ChannelAnswerLevel,
} from '@drawbridge/contracts/outside/channels';

/** Which buttons a level gives. */
const offers: Record<ChannelAnswerLevel, readonly ChannelAnswer[]> = {
  off: [],
  deny: ['deny', ...channelOptions],
  once: ['allow', 'deny', ...channelOptions],
};

/** What may be answered where the owner and the person have chosen these: the lower one counts. */
export const offersOf = (...levels: ChannelAnswerLevel[]): readonly ChannelAnswer[] =>
  offers[channelAnswerLevels[Math.min(...levels.map((one) => channelAnswerLevels.indexOf(one)))] ?? 'off'];
