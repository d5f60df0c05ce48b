import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useLiveEvents } from '../api/live-events.ts'
import { useMe } from '../api/use-me.ts'
import { listTexts } from '../text/list-texts.ts'
import { useTexts } from '../text/locale.tsx'
import buttons from './buttons.module.css'

/** How many changes are counted, so that a list which is open for days stays small. */
const most = 500

interface NewRowsProps {
  /** The start of the names of events that change the list, such as `payment.`. */
  events: string
  /** When the rows were asked for: they have what had changed by then. */
  askedAt: number
  /** Whether each such event changes what is shown. With filters, or on a later page, only some do. */
  isCertain: boolean
  show: () => void
}

/** Says that the list has changed since it was read. Rows never move by themselves under the pointer. */
export function NewRows({ events, askedAt, isCertain, show }: NewRowsProps) {
  const texts = useTexts(listTexts)
  const { scope } = useMe()
  /** When each of them changed last. */
  const [changed, setChanged] = useState<ReadonlyMap<string, number>>(new Map())
  const unreadOf = (all: ReadonlyMap<string, number>) => Array.from(all).filter(([, at]) => at >= askedAt)
  const unread = unreadOf(changed)
  useLiveEvents(scope, ({ name, correlationId }) => {
    // Several come at once, before the next rendering.
    if (name.startsWith(events))
      setChanged(all => new Map(unreadOf(all).slice(-most)).set(correlationId ?? name, Date.now()))
  })
  return (
    <div role="status">
      {unread.length > 0 && (
        <Button className={buttons.plain} onPress={show}>
          {!isCertain
            ? texts.mayHaveChanged
            : unread.length > most
              ? texts.changedMore(most)
              : texts.changed(unread.length)}
        </Button>
      )}
    </div>
  )
}
