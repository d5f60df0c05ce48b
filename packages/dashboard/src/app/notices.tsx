import { useSyncExternalStore } from 'react'
import { Button } from 'react-aria-components'
import { session } from '../api/browser-session.ts'
import { useSession } from '../api/session-context.tsx'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import styles from './shell.module.css'
import type { OverlayLoss } from './use-overlay.ts'

/** What concerns the whole page, above each screen. Not above the sections: if these moved, a click could open another one. */
export function Notices({ loss }: { loss: OverlayLoss }) {
  return (
    <>
      <Offline />
      <EndsSoon />
      {loss === 'old' && <NewVersion />}
      {loss === 'failed' && <Lost />}
    </>
  )
}

function watchConnection(changed: () => void): () => void {
  const events = ['online', 'offline']
  for (const event of events) addEventListener(event, changed)
  return () => {
    for (const event of events) removeEventListener(event, changed)
  }
}

/** Says once that this device has no connection. */
function Offline() {
  const texts = useTexts(shellTexts)
  const isOnline = useSyncExternalStore(watchConnection, () => navigator.onLine)
  if (isOnline) return null
  return (
    <p className={styles.warning} role="alert">
      {texts.noConnection}
    </p>
  )
}

/** Says that what was asked for could not be loaded. */
function Lost() {
  const texts = useTexts(shellTexts)
  return (
    <p className={styles.warning} role="alert">
      {texts.failed}
    </p>
  )
}

/** Says that a file of this version is gone: nothing that was typed is lost before the user asks for the new one. */
function NewVersion() {
  const texts = useTexts(shellTexts)
  return (
    <p className={styles.warning} role="alert">
      {texts.newVersion} <Button onPress={() => location.reload()}>{texts.reload}</Button>
    </p>
  )
}

/** Warns a user whose login is about to end: who was away may stay, and who has reached its longest time may not. */
function EndsSoon() {
  const texts = useTexts(shellTexts)
  const state = useSession()
  if (state.kind !== 'open' || !state.endsSoon) return null
  if (state.endsSoon === 'ended')
    return (
      <p className={styles.warning} role="alert">
        {texts.endsAnyway}
      </p>
    )
  return (
    <p className={styles.warning} role="alert">
      {texts.endsSoon} <Button onPress={session.active}>{texts.stay}</Button>
    </p>
  )
}
