import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { cobroOf } from '../../api/cobro.ts'
import { useMe } from '../../api/use-me.ts'
import { CheckBoxes } from '../../parts/check-boxes.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { SelectField } from '../../parts/select-field.tsx'
import { eventTexts } from '../../text/event-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { webhooksTexts } from '../../text/webhooks-texts.ts'

/** All events, also those of later releases. */
export const everyEvent: readonly string[] = ['*']

interface EventChoiceProps {
  events: readonly string[]
  isDisabled: boolean
  choose: (events: readonly string[]) => void
}

/** The events that an endpoint receives: all, or some of the catalog. */
export function EventChoice({ events, isDisabled, choose }: EventChoiceProps) {
  const texts = useTexts(webhooksTexts)
  const [named, keep] = useState(() => (events.includes('*') ? [] : events))
  const choice = events.includes('*') ? 'all' : 'chosen'
  return (
    <>
      <SelectField
        label={texts.events}
        words={texts.eventChoices}
        value={choice}
        isDisabled={isDisabled}
        // Not at the events: they may not have been read.
        problem={events.length === 0 && texts.noEvents}
        choose={next => {
          if (next === 'all') keep(events)
          choose(next === 'all' ? everyEvent : named)
        }}
      />
      {choice === 'all' ? (
        <p>{texts.eventsHint}</p>
      ) : (
        <Catalog events={events} isDisabled={isDisabled} choose={choose} />
      )}
    </>
  )
}

/** The events of the catalog, with their names for people and for programs. */
function Catalog({ events, isDisabled, choose }: EventChoiceProps) {
  const texts = useTexts(webhooksTexts)
  const names = useTexts(eventTexts)
  const { scope } = useMe()
  const query = useQuery({
    queryKey: [scope, 'events'],
    queryFn: ({ signal }) => cobroOf(scope).webhookEndpoints.catalog({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Loaded query={query} rows={4}>
      {catalog => (
        <CheckBoxes
          label={texts.chosenEvents}
          values={catalog.map(({ event }) => event)}
          wordOf={event => (
            <>
              {names[event] ?? catalog.find(one => one.event === event)?.description} <code>{event}</code>
            </>
          )}
          chosen={events}
          isDisabled={isDisabled}
          choose={choose}
          isWide
        />
      )}
    </Loaded>
  )
}
