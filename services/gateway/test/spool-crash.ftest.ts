import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitFor } from '@cobro/testing'
import { seededRandom } from '@cobro/testing/seeded-random'
import { readAckedPosition } from '../src/spool/acked-position.ts'
import { spoolsOfEachTest, temporaryDirectory } from './spool-world.ts'

spoolsOfEachTest()

const seed = Number(process.env.COBRO_TEST_SEED ?? 20260727)
const kills = Number(process.env.COBRO_TEST_KILLS ?? 12)

function startChild(dir: string, log: string, task: 'call' | 'drain', childSeed: number) {
  const output = openSync(log, 'a')
  const script = join(import.meta.dirname, 'spool-crash-child.ts')
  const child = spawn(process.execPath, ['--conditions=cobro-source', script, dir, task, String(childSeed)], {
    stdio: ['ignore', output, 'inherit', 'ipc'],
  })
  closeSync(output)
  return child
}

const answers = (log: string) => readFileSync(log, 'utf8').split('answered ').length - 1
const acked = (dir: string) => JSON.stringify(readAckedPosition(dir))

/** Returns each call in the logs: whether it began, its answered status, its published statuses. */
function readLogs(logs: string[]) {
  const calls = new Map<string, { begun: boolean; answered?: string; shipped: string[] }>()
  const lines = logs.flatMap(log => readFileSync(log, 'utf8').split('\n'))
  for (const line of lines.filter(Boolean)) {
    const [what, id = '', status = ''] = line.split(' ')
    const call = calls.get(id) ?? { begun: false, shipped: [] }
    calls.set(id, call)
    if (what === 'begun') call.begun = true
    else if (what === 'answered') call.answered = status
    else call.shipped.push(status)
  }
  return [...calls.entries()].map(([id, call]) => ({ id, ...call, statuses: [...new Set(call.shipped)] }))
}

test(`a spool that is killed ${kills} times publishes every call that it began with the right outcome (seed ${seed})`, async () => {
  const world = temporaryDirectory()
  const dir = join(world, 'spool')
  const logs = Array.from({ length: kills }, (_, kill) => join(world, `log-${kill}`))
  const random = seededRandom(seed)
  for (const [kill, log] of logs.entries()) {
    const ackedBefore = acked(dir)
    const child = startChild(dir, log, 'call', seed + kill)
    await once(child, 'message')
    // Usually soon, sometimes after the acknowledged position has been stored.
    const least = 10 + random() ** 4 * 1000
    await waitFor(() => answers(log) > least, { intervalMs: 5 })
    if (kill % 6 === 5) await waitFor(() => acked(dir) !== ackedBefore)
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const lastLog = join(world, 'log-last')
  const [code] = await once(startChild(dir, lastLog, 'drain', seed), 'exit')

  const calls = readLogs([...logs, lastLog])
  const answered = calls.filter(call => call.answered)
  expect(code).toBe(0)
  expect(calls.filter(call => call.statuses.length !== 1)).toEqual([])
  expect(answered.filter(call => call.statuses[0] !== call.answered)).toEqual([])
  expect(calls.filter(call => call.statuses[0] === '500').length).toBeGreaterThan(0)
  expect(readdirSync(dir)).toEqual(['acked.json'])
})
