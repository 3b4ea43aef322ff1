import { counted } from '../../../ui/text/format.ts';

interface Open {
  calls: number;
  questions: number;
}

/** One message at a time: the newest replaces the one before. */
const id = 'machines';

/** "Paused: no new calls", "3 calls run on, 26 questions stay." */
export const pausedWords = ({ calls, questions }: Open) => {
  const left = [
    ...(calls > 0 ? [`${counted(calls, 'call')} ${calls === 1 ? 'runs' : 'run'} on`] : []),
    ...(questions > 0 ? [`${counted(questions, 'question')} ${questions === 1 ? 'stays' : 'stay'}`] : []),
  ];
  const description = left.length > 0 ? `${left.join(', ')}.` : 'Nothing runs.';
  return { id, icon: 'i-lucide-pause', title: 'Paused: no new calls', description };
};

export const resumedWords = {
  id,
  icon: 'i-lucide-play',
  title: 'Resumed',
  description: 'New calls are accepted again.',
};

/** "Stopped: 3 calls, 26 questions, 1 chat" */
export const stoppedWords = ({ calls, questions, chats }: Open & { chats: number }) => {
  const ended = [
    ...(calls > 0 ? [counted(calls, 'call')] : []),
    ...(questions > 0 ? [counted(questions, 'question')] : []),
    ...(chats > 0 ? [counted(chats, 'chat')] : []),
  ];
  const title = ended.length > 0 ? `Stopped: ${ended.join(', ')}` : 'Stopped: nothing was running';
  return { id, icon: 'i-lucide-octagon-x', title, description: 'All machines are paused until you resume.' };
};
