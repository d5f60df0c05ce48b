import { formatAmount } from '@cobro/look/formats'
import type { LifecycleEvent } from '@cobro/sdk/admin'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMe } from '../api/use-me.ts'
import { declineTexts } from '../text/decline-texts.ts'
import { eventTexts } from '../text/event-texts.ts'
import { useLocale, useTexts } from '../text/locale.tsx'
import { timelineTexts } from '../text/timeline-texts.ts'
import styles from './event-list.module.css'
import { movedBy, noteOf, screenOfEvent, shortPath, timed } from './event-rules.ts'
import { Moment } from './moment.tsx'
import { Message } from './states.tsx'
import { isCall, timelineRows } from './timeline-rows.ts'

interface EventListProps {
  events: readonly LifecycleEvent[]
  /** The id of the object whose screen it is on: nothing leads to where one is. */
  shown: string
  /** What to say where there is nothing. */
  empty: string
}

/** What happened in the life of a payment, the oldest first: attempts, outcomes and deliveries, and the calls behind them. */
export function EventList({ events, shown, empty }: EventListProps) {
  const { timeZone } = useMe()
  const { locale } = useLocale()
  const rows = timelineRows(events)
  if (rows.length === 0) return <Message title={empty} />
  return (
    <ol className={styles.events}>
      {rows.map(({ event, call }) => {
        const moved = movedBy(event)
        return (
          <li key={event.id} aria-current={event.request_id === shown || undefined}>
            <Moment at={event.occurred_at} timeZone={timeZone} hasSeconds />
            <div className={styles.what}>
              {isCall(event) ? <CallLine call={event} shown={shown} /> : <EventName event={event} shown={shown} />}
              {call && <CallLine call={call} shown={shown} />}
            </div>
            {moved && <span className={styles.amount}>{formatAmount(moved.cents, moved.currency, locale)}</span>}
          </li>
        )
      })}
    </ol>
  )
}

interface EventProps {
  event: LifecycleEvent
  shown: string
}

function EventName({ event, shown }: EventProps) {
  const names = useTexts(eventTexts)
  const note = noteOf(event, useTexts(timelineTexts), useTexts(declineTexts))
  return (
    <>
      <ScreenLink event={event} shown={shown}>
        {names[event.action] ?? <code>{event.action}</code>}
      </ScreenLink>
      {note && <span className={styles.note}>{note}</span>}
    </>
  )
}

function CallLine({ call, shown }: { call: LifecycleEvent; shown: string }) {
  const { method, path, status_code, duration_ms } = call
  return (
    <span className={styles.call}>
      <ScreenLink event={call} shown={shown}>
        <code>
          {method} {shortPath(path ?? '')}
        </code>
      </ScreenLink>{' '}
      <span className={styles.answer}>→ {timed(String(status_code), duration_ms)}</span>
    </span>
  )
}

/** What leads to the screen of an event, where there is one that the user may see. */
function ScreenLink({ event, shown, children }: EventProps & { children: ReactNode }) {
  const { scope, may } = useMe()
  const screen = screenOfEvent(event, shown)
  if (!screen || !may(screen.needs)) return <span>{children}</span>
  return (
    <Link to={screen.to} params={{ scope, id: screen.id }}>
      {children}
    </Link>
  )
}
