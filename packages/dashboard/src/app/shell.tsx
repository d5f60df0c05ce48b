import { Link, useLocation } from '@tanstack/react-router'
import { CreditCard, KeyRound, Link as LinkIcon, LogOut, ShoppingCart, UserRound, Webhook } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from 'react-aria-components'
import { session, useSession } from '../api/browser-session.tsx'
import { useMe } from '../api/use-me.ts'
import { Failed } from '../parts/states.tsx'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import { Palette } from './palette.tsx'
import styles from './shell.module.css'

/** The sections, each with the operation that a user has to be allowed to see it. */
const sections = [
  { to: '/$scope/payments', needs: 'listTransactions', text: 'payments', icon: CreditCard },
  { to: '/$scope/links', needs: 'listPaymentLinks', text: 'links', icon: LinkIcon },
  { to: '/$scope/sessions', needs: 'listCheckoutSessions', text: 'sessions', icon: ShoppingCart },
  { to: '/$scope/webhooks', needs: 'listWebhooks', text: 'webhooks', icon: Webhook },
  { to: '/$scope/keys', needs: 'listApiKeys', text: 'keys', icon: KeyRound },
  { to: '/$scope/account', needs: undefined, text: 'account', icon: UserRound },
] as const

/** What surrounds all screens: the sections, whom one acts for, and where. */
export function Shell({ children }: { children: ReactNode }) {
  const texts = useTexts(shellTexts)
  const { scope, me, may, error, refetch } = useMe()
  useFocusOnChange()
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#content">
        {texts.skip}
      </a>
      <header className={styles.top}>
        <span className={styles.brand}>Cobro</span>
        <span className={styles.merchant}>{me?.merchant?.name}</span>
        {may('listTransactions') && <Palette scope={scope} />}
        {me?.environment === 'sandbox' && <span className={styles.badge}>{texts.sandbox}</span>}
        <Button className={styles.quiet} onPress={() => void session.logOut()}>
          <LogOut aria-hidden size={16} />
          {texts.logOut}
        </Button>
      </header>
      {me?.kind === 'operator' && me.merchant && (
        <p className={styles.acting} role="status">
          {texts.actingFor(me.merchant.name)} · <code>{me.merchant.id}</code> ·{' '}
          <Link to="/$scope/payments" params={{ scope: 'all' }} search={{}}>
            {texts.leave}
          </Link>
        </p>
      )}
      <EndsSoon />
      <NewVersion />
      <nav className={styles.sections} aria-label={texts.navigation}>
        {sections.map(
          ({ to, needs, text, icon: Icon }) =>
            (needs === undefined || may(needs)) && (
              <Link key={to} className={styles.section} to={to} params={{ scope }} search={{}}>
                <Icon aria-hidden size={18} />
                {texts[text]}
              </Link>
            ),
        )}
      </nav>
      <main id="content" className={styles.content} tabIndex={-1}>
        {error && !me ? <Failed error={error} retry={() => void refetch()} /> : children}
      </main>
    </div>
  )
}

/** Moves the focus to the new screen, as a new page would. */
function useFocusOnChange(): void {
  const { pathname } = useLocation()
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    document.getElementById('content')?.focus({ preventScroll: true })
  }, [pathname])
}

/** Says that a file of this version is gone: nothing that was typed is lost before the user asks for the new one. */
function NewVersion() {
  const texts = useTexts(shellTexts)
  const [isOld, setOld] = useState(false)
  useEffect(() => {
    const note = () => setOld(true)
    addEventListener('vite:preloadError', note)
    return () => removeEventListener('vite:preloadError', note)
  }, [])
  if (!isOld) return null
  return (
    <p className={styles.warning} role="alert">
      {texts.newVersion} <Button onPress={() => location.reload()}>{texts.reload}</Button>
    </p>
  )
}

/** Warns a user who was away for so long that the login is about to end. */
function EndsSoon() {
  const texts = useTexts(shellTexts)
  const state = useSession()
  if (state.kind !== 'open' || !state.endsSoon) return null
  return (
    <p className={styles.warning} role="alert">
      {texts.endsSoon} <Button onPress={session.active}>{texts.stay}</Button>
    </p>
  )
}
