import type { Tone } from './bar-chart.tsx'
import styles from './chart.module.css'
import { type Rows, RowsLink } from './rows-link.tsx'

interface ListedBar {
  label: string
  value: number
  /** The value in words. */
  text: string
  rows: Rows
}

interface BarListProps {
  bars: readonly ListedBar[]
  tone: Tone
  /** What the list shows, in a sentence or two. */
  summary: string
}

/** Values below one another, each with a bar, the longest of which is as wide as the list. All of one leads to its rows. */
export function BarList({ bars, tone, summary }: BarListProps) {
  const longest = Math.max(1, ...bars.map(({ value }) => value))
  return (
    <div className={styles.chart}>
      <p className={styles.summary}>{summary}</p>
      <ul className={styles.list}>
        {bars.map(({ label, value, text, rows }) => (
          <li key={label}>
            <RowsLink {...rows}>
              <span>{label}</span> <span className={styles.value}>{text}</span>
              <span className={styles.track} aria-hidden>
                <span className={styles.part} data-tone={tone} style={{ width: `${(100 * value) / longest}%` }} />
              </span>
            </RowsLink>
          </li>
        ))}
      </ul>
    </div>
  )
}
