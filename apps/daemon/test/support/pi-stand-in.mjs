// A coding agent that speaks the records of Pi (`--mode rpc`), with its habits: it asks about nothing itself, and
// loads what `--extension` names, and without `--no-extensions` that of its folder. Each line of the prompt is one step: SAY text · THINK text · RUN command ·
// SWAP command (its input is another one while it is asked about) · UNASKED command (past its extension) · EDIT path before after [before after] · WRITE path text · READ path ·
// TOOL name · INPUT (what it got beside the text) · GUIDE (its instructions) · RETRY · WAIT (until it is aborted) · STUCK (ignores that) · FAIL · SIGNEDOUT · DIE · GARBAGE.
// A file `forgets` in its folder makes it forget its sessions; `--no-gate` fails to load the extension, and leaves a file `answered`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const args = process.argv.slice(2);
const after = (name) => args[args.indexOf(name) + 1];
const shell = (command) => execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8' }).trim();
if (!args.includes('--no-extensions') && existsSync('.pi/extension'))
  shell(readFileSync('.pi/extension', 'utf8'));

const write = (body) => process.stdout.write(`${JSON.stringify(body)}\n`);
const dialogs = new Map();
let lastId = 0;
let lastCall = 0;
let isAborted = false;
let onAbort = () => {};
let images = [];
let end = {};

const ui = {
  setStatus: (statusKey, statusText) =>
    write({ type: 'extension_ui_request', id: 's', method: 'setStatus', statusKey, statusText }),
  input: (title, placeholder) =>
    new Promise((resolve) => {
      const id = `d${(lastId += 1)}`;
      dialogs.set(id, resolve);
      write({ type: 'extension_ui_request', id, method: 'input', title, placeholder });
    }),
};
const handlers = {};
if (!args.includes('--no-gate')) {
  const { default: gate } = await import(after('--extension'));
  gate({ on: (name, handler) => (handlers[name] = handler) });
  handlers.session_start({}, { ui });
}

const update = (event) => write({ type: 'message_update', assistantMessageEvent: event });
const say = (delta) => update({ type: 'text_delta', contentIndex: 0, delta });

const act = async (toolName, input, run, { swaps, asks = true } = {}) => {
  const toolCallId = `t${(lastCall += 1)}`;
  write({ type: 'tool_execution_start', toolCallId, toolName, args: input });
  const done = (text, isError) =>
    write({
      type: 'tool_execution_end',
      toolCallId,
      toolName,
      result: { content: [{ type: 'text', text }] },
      isError,
    });
  const asking = asks ? handlers.tool_call({ toolCallId, toolName, input }, { ui }) : undefined;
  if (swaps) Object.assign(input, swaps);
  const verdict = await asking;
  return verdict?.block ? done(verdict.reason, true) : done(run(input) ?? '', false);
};
const bash = (input, more) => act('bash', input, ({ command }) => shell(command), more);

const steps = {
  SAY: async (text) => say(text),
  THINK: async (delta) => update({ type: 'thinking_delta', contentIndex: 0, delta }),
  RUN: (command) => bash({ command }),
  SWAP: (command) => bash({ command: 'echo harmless' }, { swaps: { command } }),
  UNASKED: (command) => bash({ command }, { asks: false }),
  EDIT: (text) => {
    const [path, ...words] = text.split(' ');
    const edits = [];
    for (let at = 0; at < words.length; at += 2) edits.push({ oldText: words[at], newText: words[at + 1] });
    return act('edit', { path, edits }, (input) => {
      const replace = (whole, one) => whole.replace(one.oldText, one.newText);
      writeFileSync(input.path, input.edits.reduce(replace, readFileSync(input.path, 'utf8')));
    });
  },
  WRITE: (text) => {
    const [, path, content] = /^(\S+) (.*)$/.exec(text);
    return act('write', { path, content }, (input) => writeFileSync(input.path, input.content));
  },
  READ: (path) => act('read', { path }, (input) => readFileSync(input.path, 'utf8')),
  TOOL: (name) => act(name, { q: 1 }, () => 'done'),
  INPUT: async () => say(JSON.stringify(images)),
  GUIDE: async () => say(after('--append-system-prompt')),
  RETRY: async () => write({ type: 'auto_retry_start', attempt: 1, delayMs: 2_000 }),
  WAIT: () => new Promise((resolve) => (onAbort = resolve)),
  STUCK: () => new Promise(() => {}),
  FAIL: async () => (end = { stopReason: 'error', errorMessage: 'the model is gone' }),
  SIGNEDOUT: async () => (end = { stopReason: 'error', errorMessage: '401 unauthorized' }),
  DIE: async () => process.exit(3),
  GARBAGE: async () => process.stdout.write('not json\n{"type":7}\n[]\n{"type":"tool_execution_end"}\n'),
};

const prompt = async (text) => {
  isAborted = false;
  end = { stopReason: 'stop' };
  for (const line of text.split('\n')) {
    const [, name, rest] = /^(\w+) ?(.*)$/s.exec(line) ?? [];
    await steps[name]?.(rest);
    if (isAborted) break;
  }
  const usage = { input: 1_000, output: 5, cacheRead: 234, cacheWrite: 0 };
  write({ type: 'message_end', message: { role: 'assistant', content: [], usage, ...end } });
  write({ type: 'agent_settled', aborted: isAborted });
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, type, message, images: given = [], value } = JSON.parse(line);
  const reply = (command, more) => write({ id, type: 'response', command, success: true, ...more });
  if (type === 'extension_ui_response') dialogs.get(id)?.(value);
  if (type === 'get_state')
    reply(type, { data: { sessionId: after('--session-id'), messageCount: existsSync('forgets') ? 0 : 2 } });
  if (type === 'get_state' && args.includes('--no-gate')) writeFileSync('answered', '');
  if (type === 'abort') {
    isAborted = true;
    onAbort();
  }
  if (type !== 'prompt') return;
  images = given;
  reply(type, { data: { disposition: 'started' } });
  void prompt(message);
});
