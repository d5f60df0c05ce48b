import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLogger } from '@cobro/runtime'
import { seededRandom } from '@cobro/testing/seeded-random'
import { openSpool, type Spool } from '../src/spool/open-spool.ts'
import type { SpooledCall } from '../src/spool/spooled-call.ts'
import { callBegin, callEnd } from './spool-calls.ts'

// Writes progress to standard output, which is a file, so that a line survives whenever the process is killed.
const tell = (line: string) => writeSync(1, `${line}\n`)
const [dir = '', task = '', seed = '0'] = process.argv.slice(2)
const random = seededRandom(Number(seed))
const clients = 20

async function publish(calls: readonly SpooledCall[]): Promise<void> {
  if (task === 'call' && random() < 0.05) throw new Error('not confirmed')
  for (const call of calls) tell(`shipped ${call.request_id} ${call.status_code}`)
  await sleep(random() * 4)
}

async function callAgainAndAgain(spool: Spool): Promise<never> {
  for (;;) {
    const [begin, status, changes] = [callBegin(), 200 + Math.floor(random() * 100), random() < 0.5]
    spool.begin(begin, { required: changes })
    tell(`begun ${begin.request_id}`)
    // A slow call among fast ones: its begin record is needed long after its neighbors were published.
    await sleep(random() < 0.02 ? 200 : 2 + random() * 8)
    await spool.end(begin.request_id, callEnd({ status_code: status }), { durable: changes })
    tell(`answered ${begin.request_id} ${status}`)
  }
}

const logger = createLogger('gateway', 'silent')
const spool = await openSpool({ dir, publish, logger, limits: { segmentBytes: 40_000, inFlight: 4 } })
if (task === 'drain') await spool.close({ timeoutMs: 60_000 })
else {
  process.send?.('ready')
  await Promise.all(Array.from({ length: clients }, () => callAgainAndAgain(spool)))
}
