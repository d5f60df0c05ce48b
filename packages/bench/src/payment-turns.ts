import { type Measurements, measurePayments } from './measure-payments.ts'
import { makeWholePayments, type PaymentLoad } from './payer.ts'
import type { PaymentsRun, Side } from './payment-sides.ts'
import { printLine, printRatio, ratioColumns } from './print-measurements.ts'
import type { Turn } from './take-turns.ts'

/** At the start of each turn, and not measured: idle connections were closed, and new ones plan their statements again. */
const runInSeconds = 3

/** Makes payments on one side of a run, not measured. */
export const make = ({ receiver, signal }: PaymentsRun, { system }: Side, load: PaymentLoad) =>
  makeWholePayments(system, load, { received: receiver.received, signal })

/** Returns the turn of a side that makes payments. */
export function paymentTurn(run: PaymentsRun, side: Side, load: PaymentLoad): Turn<Measurements> {
  const { bench, receiver, servers, signal } = run
  const measured = { ...side, servers, pool: bench.pool, received: receiver.received, signal }
  const measure = async () => {
    await make(run, side, { ...load, seconds: runInSeconds })
    return measurePayments(measured, load)
  }
  return { own: side.own, measure }
}

/** Prints the rounds of two sides under their names: the medians of each, and the ratios of the first to the second. */
export function printRounds(title: string, names: [string, string], [first = [], second = []]: Measurements[][]): void {
  printLine(title, [...names, ...ratioColumns])
  const of = (side: Measurements[], name: string) => side.map(measured => measured.get(name) ?? Number.NaN)
  for (const name of first[0]?.keys() ?? []) printRatio(name, of(first, name), of(second, name))
}
