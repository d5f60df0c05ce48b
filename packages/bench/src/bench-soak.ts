import type { BenchRun } from './bench-stack.ts'
import { cobroSide, startPaymentsRun } from './payment-sides.ts'
import { printLine, shown } from './print-measurements.ts'
import { soak } from './soak.ts'

interface Options extends BenchRun {
  /** How long payments are made; by default a minute. */
  seconds?: number | undefined
}

const windows = 6

/** Measures whether payments take more memory, time or room in tables the longer the services run. */
export async function benchSoak(options: Options): Promise<void> {
  const run = await startPaymentsRun(options)
  const results = await soak(run, await cobroSide(run), { windows, secondsEach: (options.seconds ?? 60) / windows })
  printLine('', [...results.map((_, at) => `window ${at + 1}`), 'last/2nd'])
  for (const name of results[0]?.keys() ?? []) {
    const values = results.map(result => result.get(name) ?? Number.NaN)
    printLine(name, [...values.map(shown), shown((values.at(-1) ?? Number.NaN) / (values[1] ?? Number.NaN))])
  }
}
