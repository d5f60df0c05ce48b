import type { Cobro } from '@cobro/sdk'
import { CommandError } from '../output/failures.ts'

type Feed = Pick<Cobro, 'webhookEvents'>

const unitsMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Returns the sequence after which to start, for `now`, `last`, a sequence or an age such as `15m`. */
export async function startOf(client: Feed, from: string, last: number | undefined): Promise<number | 'latest'> {
  if (from === 'now') return 'latest'
  if (from === 'last') return last ?? 'latest'
  if (/^\d+$/.test(from)) return Number(from)
  const [, number, unit = ''] = /^(\d+)([smhd])$/.exec(from) ?? []
  if (number === undefined) throw new CommandError('--from is now, last, a sequence, or an age such as 15m.')
  return before(client, Date.now() - Number(number) * (unitsMs[unit] ?? 0))
}

/** Finds the last event before a time by halving: events are numbered about in the order of their times. */
async function before({ webhookEvents }: Feed, timeMs: number): Promise<number> {
  const { head, floor } = await webhookEvents.list({ after: 'latest', limit: 1 })
  let [low, high] = [floor - 1, head]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const { data } = await webhookEvents.list({ after: middle, limit: 1 })
    const [event] = data
    if (event && Date.parse(event.created_at) < timeMs) low = middle + 1
    else high = middle
  }
  return low
}
