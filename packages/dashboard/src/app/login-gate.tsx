import { type ComponentType, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { pageOwner } from '../api/session.ts'
import { useSession } from '../api/session-context.tsx'
import { Loading } from '../parts/loading.tsx'
import { LoginScreen } from '../screens/login/login-screen.tsx'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import { ChunkGone } from './load-chunk.ts'
import styles from './login-gate.module.css'

/**
 * Shows the login to who has none, at the address that was asked for, and else the dashboard. A login that ended by itself covers the
 * page until its user is back, so that nothing typed is lost.
 */
export function LoginGate() {
  const session = useSession()
  const owner = pageOwner(session)
  return (
    <>
      {session.kind === 'starting' && <Loading rows={3} />}
      {owner && <Dashboard key={owner.id} />}
      {session.kind === 'closed' &&
        (owner ? (
          <Cover>
            <LoginScreen reason={session.reason} />
          </Cover>
        ) : (
          <LoginScreen reason={session.reason} />
        ))}
    </>
  )
}

/**
 * The dashboard, once it is loaded. Not as a lazy component: React shows what stands in for one for a third of a second, also where it
 * has been loaded already.
 */
function Dashboard() {
  const texts = useTexts(shellTexts)
  const [loaded, setLoaded] = useState<{ App?: ComponentType; isGone?: boolean }>()
  useEffect(() => {
    import('./app.tsx').then(
      app => setLoaded({ App: app.default }),
      error => setLoaded({ isGone: error instanceof ChunkGone }),
    )
  }, [])
  if (!loaded) return <Loading rows={3} />
  if (loaded.App) return <loaded.App />
  return (
    <p role="alert">
      {loaded.isGone ? texts.newVersion : texts.failed}{' '}
      <button type="button" onClick={() => location.reload()}>
        {loaded.isGone ? texts.reload : texts.retry}
      </button>
    </p>
  )
}

/** Covers the whole page, also its dialogs, which make everything else in the page inert: so it stands beside that. */
function Cover({ children }: { children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const { title } = document
    const { current } = dialog
    current?.showModal()
    return () => {
      // Gives the focus back to where it was.
      current?.close()
      document.title = title
    }
  }, [])
  return createPortal(
    // With this attribute, React Aria leaves it alone.
    <dialog
      ref={dialog}
      className={styles.cover}
      data-react-aria-top-layer="true"
      onCancel={event => event.preventDefault()}
      // Browsers let users close any dialog by pressing Escape again.
      onClose={() => dialog.current?.showModal()}
    >
      {children}
    </dialog>,
    document.body,
  )
}
