import { channelAnswerLevel, type ChannelAnswerLevel } from '@drawbridge/contracts/outside/channels';
import type { MetaStore } from '../../db/index.ts';

const key = 'answers of notifications';

/** The most that the owner allows devices to answer. */
export const createMostAnswers = (meta: Pick<MetaStore, 'find' | 'replace'>) => ({
  get: async (): Promise<ChannelAnswerLevel> => channelAnswerLevel.catch('off').parse(await meta.find(key)),
  set: (level: ChannelAnswerLevel): Promise<void> => meta.replace(key, level),
});

export type MostAnswers = ReturnType<typeof createMostAnswers>;
