// Loaded before a server's own code, with --expose-gc: says on SIGUSR2 what memory is held.
let asked = 0;

process.on('SIGUSR2', () => {
  asked += 1;
  for (let times = 0; times < 3; times += 1) void globalThis.gc?.();
  const { rss, heapTotal, heapUsed } = process.memoryUsage();
  // Free memory of the heap does not count.
  console.log(`memory ${asked} ${rss - (heapTotal - heapUsed)};`);
});
