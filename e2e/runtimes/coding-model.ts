import {
  startScriptedModel,
  type ScriptedModel,
  type ScriptedRequest,
  type Turn,
} from '../agent/scripted-model.ts';
import { chatChunks } from '../agent/chat-chunks.ts';
import { messagesChunks } from '../agent/messages-chunks.ts';
import { geminiChunks } from './gemini-chunks.ts';
import { responsesChunks } from './responses-chunks.ts';

/** The tools of one coding agent, by the steps of a script. */
export interface Tools {
  run(command: string): { name: string; arguments: object };
  write(path: string, text: string): { name: string; arguments: object | string };
  read(path: string): { name: string; arguments: object };
}

type Json = Record<string, unknown>;
/** What the model reads, in its order: texts and results of tools. */
interface Said {
  kind: 'text' | 'result';
  text: string;
}

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** A block of any of the protocols. */
const ofBlock = (block: Json): Said[] => {
  if (block['type'] === 'tool_result' || block['functionResponse'] !== undefined)
    return [{ kind: 'result', text: JSON.stringify(block) }];
  if (typeof block['text'] === 'string') return [{ kind: 'text', text: block['text'] }];
  return [];
};

const ofMessage = (message: Json): Said[] => {
  const content = message['content'] ?? message['parts'];
  if (message['output'] !== undefined) return [{ kind: 'result', text: JSON.stringify(message['output']) }];
  if (message['role'] === 'tool') return [{ kind: 'result', text: JSON.stringify(content) }];
  if (message['role'] === 'assistant' || message['role'] === 'model') return [];
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return Array.isArray(content) ? listOf(content).flatMap(ofBlock) : ofBlock(message);
};

export const saidOf = ({ text }: Pick<ScriptedRequest, 'text'>): Said[] => {
  const body = JSON.parse(text) as Json;
  return listOf(body['messages'] ?? body['contents'] ?? body['input']).flatMap(ofMessage);
};

const isScript = /^STEPS$/m;

interface Asked {
  said: readonly Said[];
  id: string;
  /** Into which Claude Code wants its plan. */
  planFile: string;
}

const turnOf = (line: string, tools: Tools, { said, id, planFile }: Asked): Turn => {
  const [, word, rest = ''] = /^(\w+) ?(.*)$/s.exec(line) ?? [];
  switch (word) {
    case 'RUN':
      return { calls: [{ ...tools.run(rest), id }] };
    case 'READ':
      return { calls: [{ ...tools.read(rest), id }] };
    case 'WRITE': {
      const [, path = '', text = ''] = /^(\S+) (.*)$/s.exec(rest) ?? [];
      return { calls: [{ ...tools.write(path, text), id }] };
    }
    case 'CALL': {
      const [, name = '', text = '{}'] = /^(\S+) (.*)$/.exec(rest) ?? [];
      return { calls: [{ name, arguments: JSON.parse(text.replace('PLANFILE', planFile)) as object, id }] };
    }
    case 'QUOTE':
      return { text: `quote: ${said.at(-1)?.text ?? ''}` };
    case 'WAIT':
      return { text: 'waiting', end: 'silent' };
    default:
      return { text: rest };
  }
};

/**
 * A model that does what the newest message with a line `STEPS` says, one line for each result of a tool:
 * `SAY text`, `RUN command`, `READ path`, `WRITE path text`, `CALL tool json`, `QUOTE` (the last result), `WAIT` (until it is cancelled).
 */
export const startCodingModel = (tools: Tools): Promise<ScriptedModel> =>
  startScriptedModel(
    (request, number) => {
      const said = request.text === '' ? [] : saidOf(request);
      const at = said.findLastIndex(({ kind, text }) => kind === 'text' && isScript.test(text));
      const lines = (said[at]?.text ?? '').split('\n');
      const steps = lines.slice(lines.indexOf('STEPS') + 1);
      const done = said.slice(at + 1).filter(({ kind }) => kind === 'result').length;
      const [planFile = ''] = /\/[^\s"`]*\/plans\/[^\s"`]*\.md/.exec(request.text) ?? [];
      if (at === -1) return { text: 'nothing to do' };
      return turnOf(steps[done] ?? 'SAY done', tools, { said, id: `c${number}`, planFile });
    },
    (path) => {
      if (path.includes(':streamGenerateContent')) return geminiChunks;
      if (path.includes('/responses')) return responsesChunks;
      return path.includes('/messages') ? messagesChunks : chatChunks;
    },
  );
