import type { ApiRequest } from '@cobro/sdk/admin'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { screenOf } from '../../address/destination.ts'
import { cobroOf } from '../../api/cobro.ts'
import { pause } from '../../api/page-visibility.ts'
import { readLifecycle } from '../../api/use-lifecycle.ts'
import { useMe } from '../../api/use-me.ts'
import { Caller } from '../../parts/caller.tsx'
import { CodeBadge } from '../../parts/code-badge.tsx'
import detail from '../../parts/detail.module.css'
import { DetailScreen } from '../../parts/detail-screen.tsx'
import { EventList } from '../../parts/event-list.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/panel.tsx'
import { NotFound } from '../../parts/states.tsx'
import { useTexts } from '../../text/locale.tsx'
import { requestsTexts } from '../../text/requests-texts.ts'
import { shellTexts } from '../../text/shell-texts.ts'

/** A call: who made it, what the API answered, and what it led to. */
export function RequestScreen(): ReactNode {
  const { title } = useTexts(requestsTexts)
  const { scope } = useMe()
  return (
    <DetailScreen
      name="request"
      needs="listRequests"
      list={{ to: '/$scope/requests', title }}
      read={(id, signal) => readRequest(scope, id, signal)}
      refreshEveryMs={() => false}
    >
      {request => (request ? <RequestDetail request={request} scope={scope} /> : <NotFound />)}
    </DetailScreen>
  )
}

const repeatMs = 1000
const tries = 5

/** Reads a call; null if there is none. Calls are recorded a second or two after their answer. */
async function readRequest(scope: string, request_id: string, signal: AbortSignal): Promise<ApiRequest | null> {
  for (let tried = 1; ; tried++) {
    const found = await cobroOf(scope).requests.list({ request_id, limit: 1, count: 'none' }, { signal })
    if (found.data[0] || tried === tries) return found.data[0] ?? null
    await pause(repeatMs, signal)
  }
}

function RequestDetail({ request, scope }: { request: ApiRequest; scope: string }) {
  const texts = useTexts(requestsTexts)
  const { method, path, error_code, correlation_id } = request
  return (
    <>
      <header className={detail.head}>
        <h1>
          {method} {path}
        </h1>
        <CodeBadge code={request.status_code} />
        <p className={detail.sentence}>{error_code ? texts.failed(error_code) : texts.succeeded}</p>
      </header>
      <div className={detail.columns}>
        {correlation_id ? (
          <Lifecycle correlationId={correlation_id} request={request} scope={scope} />
        ) : (
          <section className={detail.panel}>
            <h2>{texts.led}</h2>
            <p>{texts.ledToNothing}</p>
          </section>
        )}
        <section className={detail.panel}>
          <RequestFacts request={request} scope={scope} />
        </section>
      </div>
    </>
  )
}

interface LifecycleProps {
  correlationId: string
  request: ApiRequest
  scope: string
}

function Lifecycle({ correlationId, request, scope }: LifecycleProps) {
  const texts = useTexts(requestsTexts)
  const lifecycle = useQuery({
    queryKey: [scope, 'lifecycle of a request', correlationId],
    queryFn: ({ signal }) => readLifecycle(scope, correlationId, signal),
  })
  return (
    <Panel title={texts.led} query={lifecycle}>
      {events => <EventList events={events} shown={request.request_id ?? ''} empty={texts.ledEmpty} />}
    </Panel>
  )
}

function RequestFacts({ request, scope }: { request: ApiRequest; scope: string }) {
  const texts = useTexts(requestsTexts)
  const shell = useTexts(shellTexts)
  const { timeZone, may } = useMe()
  const { actor, duration_ms, target_id, correlation_id } = request
  const screen = target_id === null ? undefined : screenOf(target_id)
  const object = target_id && <code>{target_id}</code>
  return (
    <Facts
      facts={[
        [texts.time, <Moment key="time" at={request.occurred_at} timeZone={timeZone} />],
        [texts.operation, request.operation_id && <code>{request.operation_id}</code>],
        [texts.duration, duration_ms !== null && `${duration_ms} ms`],
        [texts.who, <Caller key="who" actor={actor} />],
        [
          texts.object,
          screen && may(screen.needs) ? (
            <Link to={screen.to} params={{ scope, id: screen.id }}>
              {object}
            </Link>
          ) : (
            object
          ),
        ],
        [texts.lifecycle, correlation_id && <code>{correlation_id}</code>],
        [shell.requestId, <code key="id">{request.request_id}</code>],
      ]}
    />
  )
}
