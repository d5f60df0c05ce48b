import type { homeTexts } from '../../text/home-texts.ts'

/** What a plot shows one of: its sum or share of the period, and what of it is compared with the period before. */
export interface Summed {
  label: string
  total: number | null
  /** Undefined where nothing can be compared. */
  compared?: number | null | undefined
  previous: number | null
}

interface Words {
  texts: (typeof homeTexts)['es']['summary']
  /** Writes a value. */
  textOf: (value: number | null) => string
  /** Writes by how much a value differs from that of the period before, which is not 0, without a sign; undefined if by too little. */
  changeOf: (value: number, previous: number) => string | undefined
  /** The time until which values are compared, unless it is the end of the periods. */
  until?: string | undefined
}

/** Returns what a plot shows in words: each sum with its change, and the highest of the bars. */
export function chartSummary(
  sums: readonly Summed[],
  bars: readonly { label: string; value: number }[],
  words: Words,
): string {
  const { texts, textOf, until } = words
  const changes = sums.map(sum => changeIn(sum, words))
  const said = sums.map(
    ({ label, total }, at) => `${[texts.total(label, textOf(total)), ...(changes[at] ?? [])].join(', ')}.`,
  )
  const isCompared = changes.some(change => change.length > 0)
  const highest = bars.reduce((one, other) => (other.value > one.value ? other : one), { label: '', value: 0 })
  return [
    ...said,
    ...(until && isCompared ? [texts.until(until)] : []),
    ...(highest.value > 0 ? [texts.highest(highest.label, textOf(highest.value))] : []),
  ].join(' ')
}

/** Returns how a sum differs from that of the period before; nothing where that says nothing. */
function changeIn({ compared, previous }: Summed, { texts, changeOf }: Words): string[] {
  if (typeof compared !== 'number' || previous === null || (compared === 0 && previous === 0)) return []
  if (compared === previous) return [texts.same]
  if (previous === 0) return [texts.noneBefore]
  const change = changeOf(compared, previous)
  if (change === undefined) return [texts.same]
  return [compared > previous ? texts.more(change) : texts.less(change)]
}
