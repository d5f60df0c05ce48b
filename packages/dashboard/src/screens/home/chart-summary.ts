import type { homeTexts } from '../../text/home-texts.ts'

/** What a plot shows one of: its sum or share of the period, and that of the period before. */
export interface Summed {
  label: string
  total: number | null
  previous: number | null
}

interface Words {
  texts: (typeof homeTexts)['es']['summary']
  /** Writes a value. */
  textOf: (value: number | null) => string
  /** Writes by how much a value differs from that of the period before, which is not 0, without a sign. */
  changeOf: (value: number, previous: number) => string
}

/** Returns what a plot shows in words: each sum with its change, and the highest of the bars. */
export function chartSummary(
  sums: readonly Summed[],
  bars: readonly { label: string; value: number }[],
  { texts, textOf, changeOf }: Words,
): string {
  const said = sums.map(({ label, total, previous }) => {
    const value = texts.total(label, textOf(total))
    if (total === null || previous === null || (total === 0 && previous === 0)) return `${value}.`
    if (total === previous) return `${value}, ${texts.same}.`
    if (previous === 0) return `${value}, ${texts.noneBefore}.`
    const change = changeOf(total, previous)
    return `${value}, ${total > previous ? texts.more(change) : texts.less(change)}.`
  })
  const highest = bars.reduce((one, other) => (other.value > one.value ? other : one), { label: '', value: 0 })
  return [...said, ...(highest.value > 0 ? [texts.highest(highest.label, textOf(highest.value))] : [])].join(' ')
}
