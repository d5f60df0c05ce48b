import { setImmediate } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'

/** Returns an array of 20 KB, for calls to refer to. */
export const bulk = (): number[] => new Array(2_500).fill(0)

const calls = 4_000
const callsPerTurn = 100

/**
 * Makes 4,000 calls and returns by how many MB the objects that V8 considers old have grown, at most. Each call
 * should refer to a `bulk`: if all of these became old, they would take 80 MB.
 */
export async function grownOldMb(call: () => unknown): Promise<number> {
  const startMb = oldMb()
  let mostMb = startMb
  for (let made = 0; made < calls; made += callsPerTurn) {
    for (let turn = 0; turn < callsPerTurn; turn++) await call()
    // What a turn of the event loop refers to stays alive until its end.
    await setImmediate()
    mostMb = Math.max(mostMb, oldMb())
  }
  return mostMb - startMb
}

function oldMb(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')
  return (space?.space_used_size ?? Number.NaN) / 1_000_000
}
