import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '@cobro/testing/seeded-random'
import { temporaryDirectory } from './spool-world.ts'

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

/** Returns what the log says about each call: whether it was answered, and each published status. */
function readLog(log: string) {
  const calls = new Map<string, { begun: boolean; answered?: string; shipped: string[] }>()
  for (const line of readFileSync(log, 'utf8').trim().split('\n')) {
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
  const [dir, log] = [join(world, 'spool'), join(world, 'log')]
  const random = seededRandom(seed)
  for (let kill = 0; kill < kills; kill++) {
    const child = startChild(dir, log, 'call', seed + kill)
    await once(child, 'message')
    // Usually soon, sometimes after the acknowledged position has been stored.
    await sleep(5 + random() ** 4 * 1500)
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const [code] = await once(startChild(dir, log, 'drain', seed), 'exit')

  const calls = readLog(log)
  const answered = calls.filter(call => call.answered)
  expect(code).toBe(0)
  expect(answered.length).toBeGreaterThan(kills * 10)
  expect(calls.filter(call => call.statuses.length !== 1)).toEqual([])
  expect(answered.filter(call => call.statuses[0] !== call.answered)).toEqual([])
  expect(calls.filter(call => call.statuses[0] === '500').length).toBeGreaterThan(0)
  expect(readdirSync(dir)).toEqual(['acked.json'])
})
