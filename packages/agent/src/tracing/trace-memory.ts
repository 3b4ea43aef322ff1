import type { RunContext } from '../engine/context.ts';
import type { TraceParent } from '../ports/tracing.ts';

type Needs = Pick<RunContext, 'clock' | 'newId' | 'tracer'>;

/** Runs work on memory; its span is recorded where `isWorthIt`, and its model calls are below it. */
export const traceMemory = async <Result>(
  { clock, newId, tracer }: Needs,
  { name, parent }: { name: string; parent: TraceParent },
  { run, isWorthIt }: { run(trace: TraceParent): Promise<Result>; isWorthIt(result: Result): boolean },
): Promise<Result> => {
  const id = newId('memory_');
  const startedAt = clock.now();
  const result = await run({ ...parent, parentId: id });
  if (isWorthIt(result))
    tracer.record({
      ...parent,
      operation: 'memory',
      subject: name,
      id,
      startedAt,
      endedAt: clock.now(),
      // Work that no model asked for: receivers tell it from tool calls by this name.
      attributes: { ...parent.attributes, 'drawbridge.internal_tool': name },
    });
  return result;
};
