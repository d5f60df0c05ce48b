import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useMe } from '../api/use-me.ts'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import styles from './chart.module.css'
import { type Rows, RowsLink } from './rows-link.tsx'

export type Tone = 'brand' | 'success' | 'danger' | 'quiet'

/** A part of a bar, from the bottom up. */
interface BarPart {
  label: string
  value: number
  /** The value in words. */
  text: string
  tone: Tone
  rows: Rows
}

export interface Bar {
  /** When its interval begins, which no other bar has. */
  start: string
  /** What the bar is for, such as a day. */
  label: string
  /** Nothing if its interval has not begun. */
  parts: readonly BarPart[]
  /** Whether its interval has begun and not ended. */
  isOpen: boolean
}

/** A value of a plot, with its words. */
interface Level {
  value: number
  text: string
}

interface BarChartProps {
  bars: readonly Bar[]
  /** What the plot shows, in a sentence or two. */
  summary: string
  /** The value at the top of the plot. */
  top: Level
  /** A value to compare the bars with. */
  mark?: Level | undefined
}

/** A plot of bars whose parts lead to the rows behind them, in words above it, and in a table for who cannot see it. */
export function BarChart({ bars, summary, top, mark }: BarChartProps) {
  const texts = useTexts(shellTexts)
  const first = bars[0]
  const last = bars.at(-1)
  const open = bars.find(({ isOpen }) => isOpen)
  const heightOf = (value: number) => `${(100 * value) / top.value}%`
  return (
    <div className={styles.chart}>
      <p className={styles.summary}>{summary}</p>
      <div className={styles.ends} aria-hidden>
        <span>{top.text}</span>
        {open && <span className={styles.openKey}>{texts.soFar}</span>}
        {mark && <span className={styles.key}>{mark.text}</span>}
      </div>
      <div className={styles.plot} aria-hidden>
        {bars.map(bar => (
          <PlottedBar key={bar.start} bar={bar} heightOf={heightOf} />
        ))}
        {mark && <span className={styles.mark} style={{ bottom: heightOf(mark.value) }} />}
      </div>
      <div className={styles.ends} aria-hidden>
        <span>{first?.label}</span>
        {last !== first && <span>{last?.label}</span>}
      </div>
      <ChartTable bars={bars} />
    </div>
  )
}

/** A bar. Its greatest part can also be pressed above and below the bar, as low ones are hard to meet. */
function PlottedBar({ bar, heightOf }: { bar: Bar; heightOf: (value: number) => string }) {
  const { scope } = useMe()
  const { label, parts, isOpen } = bar
  if (parts.length === 0) return <div className={styles.bar} />
  const greatest = parts.reduce((one, other) => (other.value > one.value ? other : one), parts[0] as BarPart)
  const visible = parts.filter(({ value }) => value > 0)
  return (
    <div className={styles.bar} title={`${label}: ${parts.map(part => `${part.label} ${part.text}`).join(', ')}`}>
      {visible.map(part => (
        <Link
          key={part.label}
          className={styles.part}
          to={part.rows.to}
          params={{ scope }}
          search={part.rows.search}
          tabIndex={-1}
          data-tone={part.tone}
          data-wide={part === greatest || undefined}
          data-open={isOpen || undefined}
          style={{ height: heightOf(part.value) }}
        />
      ))}
    </div>
  )
}

/** The values as a table, which is not there until it is asked for: its links would make each change of the period slow. */
function ChartTable({ bars }: Pick<BarChartProps, 'bars'>) {
  const texts = useTexts(shellTexts)
  const [isOpen, setOpen] = useState(false)
  const begun = bars.filter(({ parts }) => parts.length > 0)
  return (
    <details onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>{texts.asTable}</summary>
      {isOpen && (
        <table className={styles.table}>
          <thead>
            <tr>
              <td />
              {begun[0]?.parts.map(({ label }) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {begun.map(({ start, label, parts }) => (
              <tr key={start}>
                <th scope="row">{label}</th>
                {parts.map(part => (
                  <td key={part.label}>
                    <RowsLink {...part.rows}>{part.text}</RowsLink>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  )
}
