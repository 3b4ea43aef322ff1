/** What the order of frames is about; any client's frame fits. */
interface OrderedFrame {
  event?: string | undefined;
  data?: Record<string, unknown> | undefined;
  result?: unknown;
}

/** One frame of the JSON-RPC door as a word: `run` for everything that happens while a run is open. */
export const wordOf = (frame: OrderedFrame): string => {
  const { event, data } = frame;
  if (event === undefined) return frame.result === undefined ? 'failure' : 'result';
  if (event === 'run_state') {
    const state = String(data?.['state']);
    return state === 'suspended' || state === 'resumed' ? 'run' : state;
  }
  if (event === 'content' && data?.['transient'] === true) return 'notice';
  if (event === 'error') return 'failed';
  return event === 'done' ? event : 'run';
};

const ofRun = '(run )*(cancel_requested )?(run )*(complete done result|(cancelled|error) failed failure)';
/** Who was steered into a run that ended first waits again. */
const own = `(steered (queued )?)?start ${ofRun}`;

/** The words of a message to the agent. A stored answer, and a message that never ran, have no run. */
export const messageOrder = new RegExp(
  `^(queued )?(notice )?(${own}|(merged|steered) (result|failure)|(failed )?failure|done result)$`,
);
