import { type Living, useLifecycle } from '../api/use-lifecycle.ts'
import { useTexts } from '../text/locale.tsx'
import { paymentTexts } from '../text/payment-texts.ts'
import { EventList } from './event-list.tsx'
import { Panel } from './panel.tsx'

/** What happened in the life of a payment, on the screen of an object that belongs to it. */
export function LifecyclePanel({ of, scope }: { of: Living & { id: string }; scope: string }) {
  const texts = useTexts(paymentTexts)
  const lifecycle = useLifecycle(of, scope)
  return (
    <Panel title={texts.timeline} query={lifecycle}>
      {events => <EventList events={events} shown={of.id} empty={texts.timelineEmpty} />}
    </Panel>
  )
}
