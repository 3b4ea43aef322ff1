import type { ModelInfo, PromptMessage, PromptPart, ToolSpec } from '../ports/model.ts';
import { block, deliveryText, untrusted } from '../prompt/untrusted.ts';
import type { FileRow, MessageRow, NoteRow } from '../rows/rows.ts';
import type { MessagePart, ResultPart } from '../rows/parts.ts';
import { isRuntimeKey } from '../rows/sender.ts';
import type { AgentStore } from '../rows/store.ts';
import { fileText, readFiles } from './files.ts';
import { type History, type HistoryId, readHistory } from './history.ts';
import { cutToTokens, fixedTokens, messagesTokens } from './tokens.ts';
import { memoryText } from './working-memory.ts';

/** The provider's count of an earlier step of this history: its input and output together. */
export interface Counted {
  tokens: number;
  /** The number of the message that the step wrote. */
  seq: number;
  /** `from` of the context that was counted; with another one the count is void. */
  from: number;
}

export interface ContextInput extends HistoryId {
  system: readonly string[];
  tools: readonly ToolSpec[];
  info: ModelInfo;
  /** The first part of the names that the sections of the memory have. */
  memoryNamespace: string;
  /** The mark of texts from outside in this run. */
  mark: string;
  counted: Counted | null;
  /** The history of the step before. */
  known?: History | undefined;
}

/** What a model request is made of. */
export interface Context {
  system: string[];
  messages: PromptMessage[];
  tools: ToolSpec[];
  /** The estimated length of the request. */
  tokens: number;
  /** Messages up to this number are in the notes or the summary; -1 for none. */
  from: number;
}

/** What a context is made of, as it was read. `keptSteps`: results of older steps lose their bodies. */
export interface Material {
  history: History;
  files: ReadonlyMap<string, FileRow>;
  keptSteps?: number;
}

interface Entry {
  seq: number;
  said: PromptMessage[];
  results: PromptMessage[];
}

/** The share of the context for the person's newest message where the notes have replaced it. */
const repeatedShare = 0.1;

const text = (words: string): PromptPart => ({ type: 'text', text: words });

const filePart = (
  { file: { id, name, mediaType } }: Extract<MessagePart, { type: 'file' }>,
  file: FileRow | undefined,
  mark: string,
): PromptPart => {
  const shown = JSON.stringify(name);
  if (mediaType.startsWith('image/')) {
    if (file) return { type: 'image', data: file.data, mediaType };
    return text(`[Picture ${shown}, no longer shown.]`);
  }
  if (file) return text(untrusted(fileText(file), { source: name, mark }));
  return text(`[File ${shown} with the id ${id}, of the type ${mediaType}; its content cannot be shown.]`);
};

const userParts = ({ parts }: MessageRow, { files }: Material, mark: string): PromptPart[] =>
  parts.flatMap((part) => {
    if (part.type === 'text') return [part];
    if (part.type === 'delivery') return [text(deliveryText(part, mark))];
    return part.type === 'file' ? [filePart(part, files.get(part.file.id), mark)] : [];
  });

const resultPart = (part: ResultPart, files: Material['files']): PromptPart[] => {
  if (part.type === 'text') return [part];
  if (part.type === 'file') return [];
  const file = files.get(part.fileId);
  if (!file) return [text('[Picture, no longer shown.]')];
  return [{ type: 'image', data: file.data, mediaType: part.mediaType }];
};

type AssistantParts = Extract<PromptMessage, { role: 'assistant' }>['parts'];

/** Reasoning is of use to the provider that wrote it, and refused by others. */
const assistantParts = (
  { parts, sender }: MessageRow,
  { provider, mark }: { provider: string; mark: string },
): AssistantParts =>
  parts.flatMap((part): AssistantParts => {
    // What a coding agent wrote is data, beside what the model wrote itself.
    if (part.type === 'text' && isRuntimeKey(sender))
      return [{ type: 'text', text: untrusted(part.text, { source: sender, mark }) }];
    if (
      part.type === 'file' ||
      part.type === 'delivery' ||
      (part.type === 'reasoning' && part.provider !== provider)
    )
      return [];
    return [part];
  });

const resultsOf = (row: MessageRow, { history, files }: Material, isLeftOut: boolean): PromptMessage[] => {
  const results = row.parts.flatMap((part) => {
    if (part.type !== 'tool-call') return [];
    const { toolCallId, tool } = part;
    const call = history.calls.get(toolCallId);
    const note = `[Left out to save space. read-result with id "${toolCallId}" gives it.]`;
    const parts = isLeftOut
      ? [text(note)]
      : (call?.result?.flatMap((one) => resultPart(one, files)) ?? [text('No result.')]);
    return [{ toolCallId, tool, parts, isError: call?.outcome !== 'ok' }];
  });
  return results.length === 0 ? [] : [{ role: 'tool', results }];
};

const entriesOf = (material: Material, { info, mark }: ContextInput): Entry[] => {
  const { messages } = material.history;
  const steps = messages.filter(({ role }) => role === 'assistant');
  const kept = new Set(steps.slice(-(material.keptSteps ?? steps.length)));
  return messages.map((row) => {
    if (row.role === 'user') {
      const parts = userParts(row, material, mark);
      return { seq: row.seq, said: [{ role: 'user', parts }], results: [] };
    }
    const parts = assistantParts(row, { provider: info.provider, mark });
    return {
      seq: row.seq,
      said: parts.length === 0 ? [] : [{ role: 'assistant', parts }],
      results: resultsOf(row, material, !kept.has(row)),
    };
  });
};

const notesText = (notes: readonly NoteRow[]): string | null =>
  notes.length === 0 ? null : block('notes', notes.map((note) => note.text).join('\n'));

/** What stands before the messages: memory, notes, summary, and the request that all this is about. */
const preamble = (material: Material, input: ContextInput): PromptMessage[] => {
  const { info, mark, memoryNamespace } = input;
  const { memory, notes, lastOfPerson } = material.history;
  const summary = notes.findLast(({ kind }) => kind === 'summary');
  const blocks = [
    memory === null ? null : memoryText(memory.sections, memoryNamespace),
    notesText(notes.filter(({ kind }) => kind !== 'summary')),
    summary === undefined ? null : block('conversation-summary', summary.text),
  ].filter((one) => one !== null);
  const limit = Math.floor(info.contextTokens * repeatedShare);
  const repeated = lastOfPerson === null ? [] : userParts(lastOfPerson, material, mark);
  const parts = [
    ...blocks.map(text),
    ...repeated.map((part) => (part.type === 'text' ? text(cutToTokens(part.text, limit)) : part)),
  ];
  return parts.length === 0 ? [] : [{ role: 'user', parts }];
};

/** Some models refuse two messages of the person in a row. */
const joined = (messages: readonly PromptMessage[]): PromptMessage[] => {
  const result: PromptMessage[] = [];
  for (const message of messages) {
    const last = result.at(-1);
    if (message.role === 'user' && last?.role === 'user') {
      result[result.length - 1] = { role: 'user', parts: [...last.parts, ...message.parts] };
    } else result.push(message);
  }
  return result;
};

const estimate = (
  messages: readonly PromptMessage[],
  entries: readonly Entry[],
  { system, tools, counted }: ContextInput,
): number => {
  if (counted === null) return fixedTokens(system, tools) + messagesTokens(messages);
  const since = entries.flatMap(({ seq, said, results }) => {
    if (seq === counted.seq) return results;
    return seq > counted.seq ? [...said, ...results] : [];
  });
  return counted.tokens + messagesTokens(since);
};

/**
 * The context of the next step of an agent: system prompt, working memory, notes, summary, and the messages
 * since, each call followed by its result under our ids.
 */
export const contextOf = (material: Material, input: ContextInput): Context => {
  const { from } = material.history;
  const entries = entriesOf(material, input);
  const messages = joined([
    ...preamble(material, input),
    ...entries.flatMap(({ said, results }) => [...said, ...results]),
  ]);
  const isCounted = input.counted?.from === from && material.keptSteps === undefined;
  return {
    system: [...input.system],
    messages,
    tools: [...input.tools],
    tokens: estimate(messages, entries, isCounted ? input : { ...input, counted: null }),
    from,
  };
};

export const readMaterial = async (
  userId: string,
  { threadId, history: name, known, usesMemory }: ContextInput,
  store: AgentStore,
): Promise<Material> => {
  const history = await readHistory(userId, { threadId, history: name, known, usesMemory }, store);
  const { lastOfPerson, messages, calls } = history;
  const shown = lastOfPerson === null ? messages : [lastOfPerson, ...messages];
  return { history, files: await readFiles(userId, { messages: shown, calls }, store) };
};
