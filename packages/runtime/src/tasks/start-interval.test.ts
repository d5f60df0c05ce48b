import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '../observability/logger.ts'
import { wakeSignal } from '../waiting/wake-signal.ts'
import { startInterval } from './start-interval.ts'

const warnings: unknown[] = []
const logger = {
  warn: (about: { err: Error; task: string }) => warnings.push([about.task, about.err.message]),
} as never as Logger
beforeEach(() => warnings.splice(0))

/** Counts the runs of a task; `reached` resolves when the given run has begun. */
function counted(task: (run: number) => unknown) {
  let runs = 0
  const waiting: [number, () => void][] = []
  return {
    runs: () => runs,
    reached: (count: number) =>
      new Promise<void>(resolve => (runs >= count ? resolve() : waiting.push([count, resolve]))),
    task: () => {
      runs += 1
      for (const [count, resolve] of waiting) if (runs >= count) resolve()
      return task(runs) as Promise<unknown>
    },
  }
}

test('an interval runs its task at once and again after each pause until it is stopped', async () => {
  const work = counted(async () => {})
  const running = startInterval(5, 'sweep', work.task, logger)
  await work.reached(3)
  await running.stop()
  const runs = work.runs()
  await pause(30)
  expect(work.runs()).toBe(runs)
})

test('an interval never runs its task twice at once, and stop waits for the current run', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const work = counted(() => held)
  const running = startInterval(1, 'sweep', work.task, logger)
  await pause(20)
  let stopped = false
  const stopping = running.stop().then(() => {
    stopped = true
  })
  await pause(20)
  expect([work.runs(), stopped]).toEqual([1, false])
  release()
  await stopping
  expect(work.runs()).toBe(1)
})

test.each([
  ['fails', () => Promise.reject(new Error('no'))],
  [
    'throws before it has a promise',
    () => {
      throw new Error('no')
    },
  ],
])('an interval logs the name of a task that %s and runs it again', async (_how, fail) => {
  const work = counted(run => (run === 1 ? fail() : undefined))
  const running = startInterval(1, 'sweep', work.task, logger)
  await work.reached(2)
  await running.stop()
  expect(warnings[0]).toEqual(['sweep', 'no'])
})

test('stopping an interval does not wait for a long pause to end', async () => {
  const work = counted(async () => {})
  const running = startInterval(3_600_000, 'prune', work.task, logger)
  await work.reached(1)
  await running.stop()
  expect(work.runs()).toBe(1)
})

test('an interval runs its task again at once while the task has more to do', async () => {
  const work = counted(async run => run < 3)
  const running = startInterval(3_600_000, 'sweep', work.task, logger)
  await work.reached(3)
  await running.stop()
  expect(work.runs()).toBe(3)
})

test('waking the signal of an interval ends its pause', async () => {
  const work = counted(async () => {})
  const signal = wakeSignal()
  const running = startInterval(3_600_000, 'sweep', work.task, logger, signal)
  await work.reached(1)
  signal.wake()
  await work.reached(2)
  await running.stop()
})

test('stopping an interval aborts the signal of its current run', async () => {
  const aborted = (stopping: AbortSignal) => new Promise(resolve => stopping.addEventListener('abort', resolve))
  await startInterval(3_600_000, 'sweep', aborted, logger).stop()
})
