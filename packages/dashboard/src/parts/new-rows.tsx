import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useLiveEvents } from '../api/live-events.ts'
import { useMe } from '../api/use-me.ts'
import { listTexts } from '../text/list-texts.ts'
import { useTexts } from '../text/locale.tsx'
import buttons from './buttons.module.css'

interface NewRowsProps {
  /** The start of the names of events that change the list, such as `payment.`. */
  events: string
  show: () => void
}

/** Says that the list has changed since it was read. Rows never move by themselves under the pointer. */
export function NewRows({ events, show }: NewRowsProps) {
  const texts = useTexts(listTexts)
  const { scope } = useMe()
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set())
  useLiveEvents(scope, ({ name, correlationId }) => {
    if (name.startsWith(events)) setChanged(known => new Set(known).add(correlationId ?? name))
  })
  return (
    <div role="status">
      {changed.size > 0 && (
        <Button
          className={buttons.plain}
          onPress={() => {
            setChanged(new Set())
            show()
          }}
        >
          {texts.changed(changed.size)}
        </Button>
      )}
    </div>
  )
}
