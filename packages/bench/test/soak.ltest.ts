import { withCleanup } from '../src/bench-stack.ts'
import { cobroSide, startPaymentsRun } from '../src/payment-sides.ts'
import { soak } from '../src/soak.ts'

// The memory of processes is read from Linux.
const longTest = process.env.COBRO_TEST_LONG === '1' && process.platform === 'linux' ? test : test.skip
const minutes = 60_000
const load = { windows: 6, secondsEach: 300 }

/**
 * How much larger the last window may be than the second: in the first, code is still compiled and PostgreSQL has not vacuumed every
 * table. Payments take longer beside neighbours, so the machine has to be idle.
 */
const maxGrowth = {
  'memory of the processes, MiB': 1.15,
  'pay p50, ms': 1.5,
  'pay p95, ms': 1.5,
  'tables of passing rows, MiB': 1.5,
  'tables of kept rows, KiB each': 1.05,
}

longTest(
  'half an hour of payments needs neither more memory nor time, and tables grow by their new rows only',
  async () => {
    await withCleanup(async onStop => {
      const run = await startPaymentsRun({ signal: new AbortController().signal, onStop })
      const results = await soak(run, await cobroSide(run), load)
      const growth: Record<string, number> = {}
      for (const name of Object.keys(maxGrowth)) {
        const values = results.map(result => result.get(name) ?? Number.NaN)
        process.stdout.write(`${name}: ${values.map(value => value.toFixed(1)).join(', ')}\n`)
        growth[name] = (values.at(-1) ?? Number.NaN) / (values[1] ?? Number.NaN)
      }
      for (const [name, most] of Object.entries(maxGrowth))
        expect({ [name]: growth[name]! <= most }).toEqual({ [name]: true })
    })
  },
  45 * minutes,
)
