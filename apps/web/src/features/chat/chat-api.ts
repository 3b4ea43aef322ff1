import type { ThreadFrame } from '@drawbridge/contracts/agent/threads';
import { useApi, type Api } from '../../api/index.ts';

/** The procedures of the built-in agent. */
export type ChatApi = Api['agent'];

/** A stored event comes with its number as the stream's id, every other frame without one. */
export type Framed = ThreadFrame | { id: string; data: ThreadFrame };

export const useChatApi = (): ChatApi => useApi().agent;
