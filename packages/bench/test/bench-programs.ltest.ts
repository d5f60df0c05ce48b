import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { programEnv } from '@cobro/testing'

const longTest = process.env.COBRO_TEST_LONG === '1' ? test : test.skip
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const few = [
  '--seconds',
  '1',
  '--events',
  '4000',
  '--charges',
  '1000',
  '--payments',
  '2000',
  '--rows',
  '20000',
  '--merchant-rows',
  '10000',
]
const limitMs = 10 * 60_000

/** Runs a benchmark with few events and rows, and returns what it printed. */
async function bench(...args: string[]): Promise<string> {
  const line = ['--conditions=cobro-source', main, ...args, ...few]
  const { stdout } = await promisify(execFile)(process.execPath, line, { env: programEnv(), timeout: limitMs })
  return stdout
}

longTest.each([
  ['audit', /verified +\d+ events\/s, \d+ events/],
  ['audit-reads', /verified \d+ events/],
  ['feed', /ratio of p95 \d/],
  ['full-tables', /statements each +\d.*\d\n/],
  ['gateway', /gateway \/ bare pass-through: +\d/],
  ['hostile', /under load \/ idle: \d/],
  ['payments', /16 at once +Cobro +floor +ratio +rounds\n.*CPU time each, ms( +\d[\d.]+){3}/s],
  ['soak', /window 6 +last\/2nd.*tables of passing rows, MiB +(?!0\.00)\d/s],
  ['spool', /added at the median: -?\d/],
  ['transactions', /charges, median of \d+ rounds: \d.*p99 grows by \d/s],
  ['webhooks', /lost 0, doubled 0;.*1000 events\/s +Cobro +floor +ratio +rounds\n.*CPU time each, ms( +\d[\d.]+){3}/s],
])(
  'the benchmark %s ends and prints its result',
  async (name, result) => {
    expect(await bench(name)).toMatch(result)
  },
  limitMs,
)

test('seed-transactions names what it needs', async () => {
  await expect(bench('seed-transactions')).rejects.toThrow('Missing --database')
})
