import { Link } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { Button, Heading } from 'react-aria-components'
import type { LoggedCall } from '../api/call-log.ts'
import { callLog } from '../api/cobro.ts'
import { curlOf } from '../api/curl.ts'
import { useMe } from '../api/use-me.ts'
import buttons from '../parts/buttons.module.css'
import { CodeBadge } from '../parts/code-badge.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { useTexts } from '../text/locale.tsx'
import { overlayTexts } from '../text/overlay-texts.ts'
import { shellTexts } from '../text/shell-texts.ts'
import styles from './overlays.module.css'

/** The calls that the screen has made, each for a shell. */
export function CallsDrawer({ close }: { close: () => void }) {
  const texts = useTexts(overlayTexts)
  const shell = useTexts(shellTexts)
  const calls = useSyncExternalStore(callLog.subscribe, callLog.calls)
  return (
    <>
      <header className={styles.head}>
        <Heading slot="title">{shell.apiCalls}</Heading>
        <Button className={buttons.plain} onPress={close}>
          {texts.close}
        </Button>
      </header>
      <p>{calls.length > 0 ? texts.callsHint : texts.noCalls}</p>
      <ul className={styles.calls}>
        {calls.map(call => (
          <li key={call.number}>
            <Call call={call} close={close} />
          </li>
        ))}
      </ul>
    </>
  )
}

function Call({ call, close }: { call: LoggedCall; close: () => void }) {
  const texts = useTexts(overlayTexts)
  const shell = useTexts(shellTexts)
  const { scope, may } = useMe()
  const { method, url, status, ms, requestId } = call
  const { pathname, search } = new URL(url)
  const curl = curlOf(call)
  return (
    <details>
      <summary>
        <code>
          {method} {pathname}
          {search}
        </code>
        <span className={styles.outcome}>
          {status === undefined ? texts.pending : status === 0 ? texts.unanswered : <CodeBadge code={status} />}
          {ms !== undefined && <span>{ms} ms</span>}
        </span>
      </summary>
      {requestId !== undefined && (
        <p>
          {shell.requestId}:{' '}
          {may('listRequests') ? (
            <Link to="/$scope/requests/$id" params={{ scope, id: requestId }} onClick={close}>
              <code>{requestId}</code>
            </Link>
          ) : (
            <code>{requestId}</code>
          )}
        </p>
      )}
      <CodeBlock text={curl} />
      <CopyButton text={curl} />
    </details>
  )
}
