import type { Call } from '@drawbridge/contracts/calls';
import type { Confirmation } from '@drawbridge/contracts/confirmation';
import { cutText } from '@drawbridge/kit';
import { capital } from '../../../ui/text/format.ts';
import { callStateWords, makerWords } from '../../../ui/text/words.ts';
import { exitCodeIn } from '../../calls/readable.ts';
import { outcomeOf } from '../../confirmations/outcome.ts';

/** One step of a call. `at` is null if the time is unknown. */
export interface Step {
  name: string;
  at: string | null;
  text: string;
}

/** Of a failure, in characters: its result stands above. */
const longestReason = 200;

interface Facts {
  call: Call;
  questions: readonly Confirmation[];
  machine: string;
  /** The id of the person who looks. */
  userId: string | undefined;
}

const answeredBy = ({ settledBy, decidedBy }: Confirmation, userId: string | undefined): string => {
  if (settledBy !== null || decidedBy === null) return '';
  return decidedBy === userId ? ' by you' : '';
};

const questionSteps = ({ questions, userId, machine }: Facts): Step[] =>
  questions.flatMap((question) => {
    const asked = { name: 'Asked', at: question.createdAt, text: `by ${machine}` };
    if (question.state === 'open') return [asked];
    const decided = {
      name: question.state === 'decided' ? 'Decided' : 'Closed',
      at: question.decidedAt,
      text: outcomeOf(question, answeredBy(question, userId)).text,
    };
    return [asked, decided];
  });

const allowedStep = ({ call }: Facts): Step[] => {
  const allowed = call.result?._meta?.['drawbridge/allowed'];
  if (allowed === undefined) return [];
  const { rules } = allowed;
  const text =
    rules.length === 0
      ? 'by the permissions of the machine'
      : `by rule: ${rules.map(({ label }) => label).join('; ')}`;
  return [{ name: 'Allowed', at: null, text }];
};

/** After these ends it may be unknown whether the call had started; every other end says it. */
const mayHaveRun: ReadonlySet<Call['state']> = new Set(['cancelled', 'timed-out', 'lost']);

const startedStep = ({ call }: Facts): Step[] => {
  if (call.endedAt === null) return [];
  if (call.started === true) return [{ name: 'Started', at: null, text: 'on the machine' }];
  if (call.started === false) return [{ name: 'Not started', at: null, text: '' }];
  return mayHaveRun.has(call.state) ? [{ name: 'Started', at: null, text: 'not known' }] : [];
};

/** What a tool gives as data, such as the output of a command, is shown above: the exit code is enough. */
const reasonIn = (text: string): string => {
  if (!text.startsWith('{')) return text;
  const code = exitCodeIn(text);
  return code === null ? '' : `exit code ${code}`;
};

const endText = (call: Call, machine: string): string => {
  const [first] = call.result?.content ?? [];
  const label = capital(callStateWords[call.state].label);
  const reason = call.error?.message ?? (first?.type === 'text' ? reasonIn(first.text) : '');
  if (call.state !== 'failed' || reason === '') return label;
  const [line = ''] = reason.split('\n');
  return `${label} on ${machine}: ${cutText(line, longestReason)}`;
};

/** How long a call waited for the answers to its questions, in ms. */
export const waitedIn = (questions: readonly Confirmation[]): number =>
  questions
    .map(({ createdAt, decidedAt }) => Date.parse(decidedAt ?? createdAt) - Date.parse(createdAt))
    .reduce((sum, ms) => sum + ms, 0);

/** What happened to a call, in order. */
export const stepsOf = (facts: Facts): Step[] => {
  const { call, machine } = facts;
  const requested = { name: 'Requested', at: call.createdAt, text: `by ${makerWords(call)}` };
  const sent =
    call.deliveredAt === null ? [] : [{ name: 'Sent', at: call.deliveredAt, text: `to ${machine}` }];
  const ended =
    call.endedAt === null ? [] : [{ name: 'Ended', at: call.endedAt, text: endText(call, machine) }];
  return [
    requested,
    ...sent,
    ...questionSteps(facts),
    ...allowedStep(facts),
    ...startedStep(facts),
    ...ended,
  ];
};
