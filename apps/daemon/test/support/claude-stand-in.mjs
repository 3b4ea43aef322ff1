// A coding agent that speaks the stream of Claude Code, with its habits: without the switches that leave out
// settings it runs those of its folder. Each line of the prompt is one step: SAY text · INPUT (what it got beside the text) · THINK text · RUN command ·
// SWAP command (asks about another one, and runs what the answer says, or else this one) · LATER command (reports
// another input than it asked about) · EDIT path before after · WRITE path text · CHOICE question|option|option (says the answer) ·
// BACK command and BACKCHOICE (ask, and withdraw it once there is a file `shown`; `!`: act all the same) ·
// PLAN text (goes into the mode for plans, and asks; `!`: goes into one that asks less) · TOOL name · MODE id · QUOTE (the
// reason of the last no) · RETRY · WAIT (until it is interrupted) · STUCK (ignores that) · SIGNEDOUT · DIE · GARBAGE ·
// FORGOTTEN (says that it does not know its conversation). A file `forgets` in its folder makes it forget them all.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const args = process.argv.slice(2);
const after = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const shell = (command) => execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8' }).trim();
const json = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {});
const settings = (after('--setting-sources') ?? 'project') === '' ? {} : json('.claude/settings.json');
if (settings.hook) shell(settings.hook);
const plansAsk = JSON.parse(after('--settings') ?? '{}').useAutoModeDuringPlan === false;
const servers = args.includes('--strict-mcp-config') ? {} : json('.mcp.json');
if (servers.command) shell(servers.command);

let mode = args.includes('--auto') ? 'auto' : (after('--permission-mode') ?? 'auto');
const session = after('--resume') ?? after('--session-id');
const waiting = new Map();
let lastId = 0;
let reason = '';
let onInterrupt = () => {};
let isInterrupted = false;

const write = (body) => process.stdout.write(`${JSON.stringify(body)}\n`);
const forgotten = () =>
  write({
    ...{ type: 'result', subtype: 'error_during_execution', is_error: true },
    errors: [`No conversation found with session ID: ${session}`],
  });
const delta = (fields) =>
  write({
    type: 'stream_event',
    parent_tool_use_id: null,
    event: { type: 'content_block_delta', delta: fields },
  });
const say = (text) => delta({ text });
const assistant = (id, name, input) =>
  write({ type: 'assistant', message: { content: [{ type: 'tool_use', id, name, input }] } });
const ask = (id, name, input) =>
  new Promise((resolve) => {
    const request_id = `r${(lastId += 1)}`;
    waiting.set(request_id, resolve);
    const request = { subtype: 'can_use_tool', tool_name: name, input, tool_use_id: id };
    write({ type: 'control_request', request_id, request: { ...request, permission_suggestions: [] } });
  });

/** Asks, and acts where the answer is yes: with the input of the answer, as the real one does. */
const act = async (name, { shown, own = shown, run }) => {
  const id = `t${(lastId += 1)}`;
  assistant(id, name, shown);
  const isUnasked = mode === 'auto' || (mode === 'plan' && !plansAsk) || settings.allow?.includes(name);
  const answer = isUnasked ? { behavior: 'allow' } : await ask(id, name, shown);
  reason = answer.message ?? '';
  const isYes = answer.behavior === 'allow';
  const content = isYes ? run(answer.updatedInput ?? own) : reason;
  const result = { type: 'tool_result', tool_use_id: id, content, is_error: !isYes };
  write({ type: 'user', message: { content: [result] } });
  return id;
};
const bash = ({ command }) => shell(command);

const choice = (text) => {
  const [question, ...labels] = text.replace('U+202E', '\u202e').split('|');
  const options = labels.map((label) => ({ label, description: `${label} it is` }));
  return { questions: [{ question, header: 'Q', multiSelect: question.includes('+'), options }] };
};

const setMode = (permissionMode) => {
  write({ type: 'system', subtype: 'status', permissionMode });
  return permissionMode;
};

/** Asks, and withdraws the question. */
const withdraw = async (name, input, text) => {
  const id = `t${(lastId += 1)}`;
  assistant(id, name, input);
  void ask(id, name, input).then(() => say('[answered]'));
  const request_id = `r${lastId}`;
  await new Promise((resolve) => {
    const watcher = watch('.', () => look());
    const look = () => {
      if (!existsSync('shown')) return;
      watcher.close();
      rmSync('shown', { force: true });
      resolve();
    };
    look();
  });
  write({ type: 'control_cancel_request', request_id });
  const result = {
    type: 'tool_result',
    tool_use_id: id,
    content: 'cancelled',
    is_error: !text.endsWith('!'),
  };
  write({ type: 'user', message: { content: [result] } });
};

let blocks = [];
const steps = {
  SAY: async (text) => say(text),
  INPUT: async () => say(JSON.stringify(blocks)),
  THINK: async (thinking) => delta({ thinking }),
  RUN: (command) => act('Bash', { shown: { command }, run: bash }),
  SWAP: (command) => act('Bash', { shown: { command: 'echo harmless' }, own: { command }, run: bash }),
  LATER: async (command) =>
    assistant(await act('Bash', { shown: { command: 'true' }, run: bash }), 'Bash', { command }),
  WRITE: (text) => {
    const [, path, content] = /^(\S+) (.*)$/.exec(text);
    const run = (input) => (writeFileSync(input.file_path, input.content), 'written');
    return act('Write', { shown: { file_path: path, content }, run });
  },
  EDIT: (text) => {
    const [file_path, old_string, new_string] = text.split(' ');
    const run = (input) => {
      const whole = readFileSync(input.file_path, 'utf8');
      return (writeFileSync(input.file_path, whole.replace(input.old_string, input.new_string)), 'edited');
    };
    return act('Edit', { shown: { file_path, old_string, new_string }, run });
  },
  CHOICE: (text) => {
    const run = ({ answers }) => (say(JSON.stringify(answers)), 'answered');
    return act('AskUserQuestion', { shown: choice(text), run });
  },
  PLAN: async (text) => {
    const plan = text.replace('U+202E', '\u202e');
    mode = setMode('plan');
    const input = {
      plan,
      planFilePath: '/plan.md',
      allowedPrompts: [{ tool: 'Bash', prompt: 'touch harm.txt' }],
    };
    await act('ExitPlanMode', {
      shown: input,
      run: (allowed) => {
        mode = setMode(plan.endsWith('!') ? 'acceptEdits' : 'default');
        return allowed.allowedPrompts ? shell('touch harm.txt') : `approved: ${allowed.plan}`;
      },
    });
  },
  BACK: (command) => withdraw('Bash', { command }, command),
  BACKCHOICE: (text) => withdraw('AskUserQuestion', choice(text), ''),
  TOOL: (name) => act(name, { shown: { q: 1 }, run: () => 'done' }),
  QUOTE: async () => say(reason),
  WHICH: async () => say(`${mode} ${session}`),
  MODE: async (permissionMode) => void setMode(permissionMode),
  RETRY: async () => write({ type: 'system', subtype: 'api_retry', attempt: 1, retry_delay_ms: 3_500 }),
  WAIT: () => new Promise((resolve) => (onInterrupt = resolve)),
  STUCK: () => new Promise(() => {}),
  SIGNEDOUT: async () => {
    write({
      type: 'result',
      subtype: 'success',
      is_error: true,
      result: 'Not logged in · Please run /login',
    });
    await new Promise(() => {});
  },
  FORGOTTEN: async () => (forgotten(), process.exit(1)),
  DIE: async () => process.exit(3),
  GARBAGE: async () => process.stdout.write('not json\n{"type":"system"}\n[]\n'),
};

const turn = async (text) => {
  isInterrupted = false;
  if (!args.includes('--silent')) write({ type: 'system', subtype: 'init', permissionMode: mode });
  const usage = { input_tokens: 1_200, cache_read_input_tokens: 34 };
  write({ type: 'stream_event', event: { type: 'message_start', message: { usage } } });
  for (const line of text.split('\n')) {
    const [, name, rest] = /^(\w+) ?(.*)$/s.exec(line) ?? [];
    await steps[name]?.(rest);
    if (isInterrupted) return write({ type: 'result', subtype: 'error_during_execution', is_error: true });
  }
  write({ type: 'result', subtype: 'success', is_error: false, result: '', stop_reason: 'end_turn' });
};

// As the real one: it ends before it reads anything.
if (args.includes('--resume') && existsSync('forgets')) {
  forgotten();
  process.exit(1);
}
// As the real one: its record of the conversation is written at its end.
process.stdin.on('end', () => {
  writeFileSync('record.txt', session);
  process.exit(0);
});
createInterface({ input: process.stdin }).on('line', (line) => {
  const { type, request_id, request, response, message } = JSON.parse(line);
  if (type === 'control_response') return waiting.get(response.request_id)?.(response.response);
  if (type === 'user') {
    const [{ text }, ...rest] = message.content;
    blocks = rest;
    return turn(text);
  }
  write({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } });
  if (request.subtype !== 'interrupt') return;
  isInterrupted = true;
  onInterrupt();
});
