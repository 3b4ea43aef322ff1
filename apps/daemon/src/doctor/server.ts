import type { Clock } from '@drawbridge/kit';
import { networkFailure, withServer } from '../link/index.ts';
import type { Check } from './check.ts';

/** For the server to answer: with one that is down, `doctor` takes less than 3 s. */
export const answerMs = 1_500;
/** Pairing tokens live for 5 min: a clock that is further off than this is worth a word. */
export const clockLimitMs = 60_000;

const notAsked = 'not checked: the server did not answer';

/** `serverDate`: the Date header. Its resolution is a second. */
export const evaluateClock = (serverDate: string, between: { fromMs: number; toMs: number }): Check => {
  const serverMs = Date.parse(serverDate);
  if (Number.isNaN(serverMs)) return { name: 'clock', state: 'note', says: 'the server sent no time' };
  const early = between.fromMs - (serverMs + 1_000);
  const late = serverMs - between.toMs;
  const offMs = Math.max(early, late, 0);
  if (offMs <= clockLimitMs) return { name: 'clock', state: 'ok', says: 'agrees with the server' };
  return {
    name: 'clock',
    state: 'warning',
    says: `${Math.round(offMs / 1_000)} s ${early > late ? 'ahead of' : 'behind'} the server`,
    fix: 'Set the clock of this machine or of the server, for example with timedatectl set-ntp true.',
  };
};

const evaluateAnswer = (url: string, answer: { status: number; type: string; tookMs: number }): Check => {
  const { status, type, tookMs } = answer;
  if (status === 200 && type.startsWith('application/json')) {
    return { name: 'network', state: 'ok', says: `${url} answers in ${tookMs} ms` };
  }
  return {
    name: 'network',
    state: 'problem',
    says:
      status >= 300 && status < 400
        ? `${url} redirects elsewhere, and a key is never sent to another address`
        : `${url} answers, but not as a Drawbridge server (HTTP ${status})`,
    fix: 'Pass the address that the panel shows in its own address bar.',
  };
};

/** Whether the server can be reached, and whether the clocks agree. Sends no key. */
export const checkServer = async (url: URL, clock: Clock): Promise<Check[]> => {
  const shown = url.href.replace(/\/$/, '');
  const fromMs = clock.now();
  try {
    return await withServer(url, { clock, withinMs: answerMs }, async (http, signal) => {
      const response = await http.request({ method: 'GET', path: '/health', signal });
      const toMs = clock.now();
      await response.text(1_024);
      const answer = {
        status: response.status,
        type: response.header('content-type'),
        tookMs: toMs - fromMs,
      };
      return [evaluateAnswer(shown, answer), evaluateClock(response.header('date'), { fromMs, toMs })];
    });
  } catch (error) {
    return [
      {
        name: 'network',
        state: 'problem',
        says: `cannot reach ${shown} (${networkFailure(error).sentence})`,
        fix: 'Check the address, the network, and that the server runs.',
      },
      { name: 'clock', state: 'note', says: notAsked },
    ];
  }
};
