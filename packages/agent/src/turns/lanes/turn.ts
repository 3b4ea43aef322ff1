import type { LanePolicy } from '@drawbridge/contracts/agent/lanes';
import type { LaneEffect, LaneEvent, LaneState } from '../../machines/next-lane.ts';
import type { RunRow } from '../../rows/rows.ts';
import type { Arrival } from './lane-writes.ts';
import type { Route } from '../runtimes/route.ts';
import type { LoadedLane } from './load-lane.ts';

/** One event of a lane. */
export interface Turn {
  event: LaneEvent;
  arrival?: Arrival;
  /** The run whose end is the event. */
  ended?: RunRow;
}

/** A transition that is to be written. */
export interface Planned {
  lane: LoadedLane;
  policy: LanePolicy;
  state: LaneState;
  effects: LaneEffect[];
  arrival: Arrival | undefined;
  /** Known where a run starts. */
  route: Route | null;
}
