import { memorySection } from '@drawbridge/contracts/agent/memory';
import { z } from 'zod';
import { flag, json, table, text, whole, wholeOrNull } from './columns.ts';

/** What agents know beside the messages: corrections of the person, notes, and the memory of a person. */
export const memoryTables = {
  agentCorrections: table(['userId', 'agentId', 'id'], {
    userId: text,
    agentId: text,
    id: text,
    text,
    createdAt: whole,
    takenAt: wholeOrNull,
  }),
  agentNotes: table(['userId', 'threadId', 'history', 'seq'], {
    userId: text,
    threadId: text,
    history: text,
    seq: whole,
    kind: z.enum(['observation', 'reflection', 'summary']),
    text,
    tokens: whole,
    /** Messages up to this number are in it. */
    upToSeq: whole,
    createdAt: whole,
    replacedAt: wholeOrNull,
  }),
  agentMemory: table(['userId'], {
    userId: text,
    sections: json(z.partialRecord(memorySection, text)),
    enabled: flag,
    version: whole,
    updatedAt: whole,
  }),
};
