/** Of each project. */
export const onWorkers = {
  // Two cores are busy with four, because tests of whole processes wait for much.
  maxWorkers: 4,
  // In MB. Files of a worker share what they import, so that garbage is collected less often, compiled code
  // is kept for the next file, and no collection begins because tests wait.
  execArgv: ['--max-semi-space-size=64', '--no-flush-bytecode', '--no-memory-reducer'],
};
