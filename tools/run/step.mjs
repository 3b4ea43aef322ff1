const isTerminal = process.stderr.isTTY === true;
const startedAt = performance.now();
const seconds = () => `${Math.round((performance.now() - startedAt) / 1_000)} s`;

/** Runs one step, with its elapsed time on a terminal; ends the process with what it wrote if the step fails. */
export const step = async (doing, run) => {
  const show = () => process.stderr.write(`\r\u001b[K${doing}… ${seconds()}`);
  const ticking = isTerminal ? setInterval(show, 1_000) : undefined;
  if (isTerminal) show();
  try {
    await run();
  } catch (error) {
    process.stderr.write(`${isTerminal ? '\r\u001b[K' : ''}${String(error.message).trimEnd()}\n`);
    process.stderr.write(`error  ${doing} failed. The reason is above.\n`);
    process.exit(1);
  } finally {
    clearInterval(ticking);
    if (isTerminal) process.stderr.write('\r\u001b[K');
  }
};
