import { useRouter } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { callLog } from '../api/cobro.ts'
import { useMe } from '../api/use-me.ts'
import { useSaid } from '../keys/said.ts'
import { useFailed } from '../parts/loaded.tsx'
import { Failed } from '../parts/states.tsx'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import { BottomBar } from './bottom-bar.tsx'
import { Notices } from './notices.tsx'
import { SectionLinks } from './section-links.tsx'
import styles from './shell.module.css'
import { TopBar } from './top-bar.tsx'
import { useEnvironmentMark } from './use-environment-mark.ts'
import { useFocusOnChange } from './use-focus-on-change.ts'
import { useFrameShortcuts } from './use-frame-shortcuts.ts'
import { useIsPhone } from './use-is-phone.ts'
import { useOverlay } from './use-overlay.ts'
import { usePreferredLook } from './use-preferred-look.ts'
import { useScopeChange } from './use-scope-change.ts'

/** What surrounds all screens: the sections, whom one acts for, and where. */
export function Shell({ children }: { children: ReactNode }) {
  const texts = useTexts(shellTexts)
  const { me, query } = useMe()
  const failed = useFailed(query)
  const { name, show, Overlays, loss } = useOverlay()
  const isPhone = useIsPhone()
  const content = useRef<HTMLElement>(null)
  useFocusOnChange(content)
  usePreferredLook()
  useScopeChange()
  useEnvironmentMark()
  useFrameShortcuts({ name, show })
  useCallsOfScreen()
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#content">
        {texts.skip}
      </a>
      <TopBar show={show} />
      {!isPhone && (
        <nav className={styles.sections} aria-label={texts.navigation}>
          <SectionLinks />
        </nav>
      )}
      <div>
        <Notices loss={loss} />
        <main id="content" ref={content} className={styles.content} tabIndex={-1}>
          {failed && !me ? <Failed {...failed} /> : children}
        </main>
      </div>
      {isPhone && <BottomBar show={show} />}
      <Said />
      {name !== undefined && Overlays && <Overlays name={name} show={show} />}
    </div>
  )
}

/** Says what a key has done. */
function Said() {
  const said = useSaid()
  return (
    <p className={styles.said} role="status">
      {said}
    </p>
  )
}

/** Begins a new list of calls with each screen. */
function useCallsOfScreen(): void {
  const router = useRouter()
  useEffect(() => router.subscribe('onBeforeLoad', ({ pathChanged }) => pathChanged && callLog.clear()), [router])
}
