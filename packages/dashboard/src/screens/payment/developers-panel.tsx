import type { useLifecycle } from '../../api/use-lifecycle.ts'
import { useMe } from '../../api/use-me.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import detail from '../../parts/detail.module.css'
import { Moment } from '../../parts/moment.tsx'
import { useTexts } from '../../text/locale.tsx'
import { paymentPanelsTexts } from '../../text/payment-panels-texts.ts'
import { readCallOf, tracesOf } from './read-call.ts'

interface DevelopersPanelProps {
  id: string
  lifecycle: ReturnType<typeof useLifecycle>
}

/** The call that reads a payment, and for operators its traces. */
export function DevelopersPanel({ id, lifecycle: { data } }: DevelopersPanelProps) {
  const texts = useTexts(paymentPanelsTexts)
  const { me, timeZone } = useMe()
  const call = readCallOf(id, location.origin)
  const traces = me?.trace_url && data && tracesOf(data, me.trace_url)
  return (
    <section className={detail.panel} aria-label={texts.developers}>
      <h2>{texts.developers}</h2>
      <p>{texts.readCall}</p>
      <CodeBlock text={call} />
      <p>
        <CopyButton text={call} />
      </p>
      {traces && (
        <>
          <h2>{texts.traces}</h2>
          {traces.length === 0 && <p>{texts.noTraces}</p>}
          <ul className={detail.timeline}>
            {traces.map(trace => (
              <li key={trace.id}>
                <a href={trace.url} target="_blank" rel="noreferrer">
                  <Moment at={trace.at} timeZone={timeZone} /> <code>{trace.id.slice(0, 8)}</code>
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
