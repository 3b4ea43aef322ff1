/** Of each project. */
export const onWorkers = {
  // Two cores are busy with four, because tests of whole processes wait for much.
  maxWorkers: 4,
  // In MB: files of a worker share what they import, which is collected less often.
  execArgv: ['--max-semi-space-size=64'],
};
