import { Link } from '@tanstack/react-router'
import { CreditCard, KeyRound, Link as LinkIcon, LogOut, UserRound } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from 'react-aria-components'
import { session, useSession } from '../api/browser-session.tsx'
import { useMe } from '../api/use-me.ts'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import styles from './shell.module.css'

/** What surrounds all screens: the sections, whom one acts for, and where. */
export function Shell({ children }: { children: ReactNode }) {
  const texts = useTexts(shellTexts)
  const { scope, me, may } = useMe()
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#content">
        {texts.skip}
      </a>
      <header className={styles.top}>
        <span className={styles.brand}>Cobro</span>
        <span className={styles.merchant}>{me?.merchant?.name}</span>
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
        {may('listTransactions') && (
          <Link className={styles.section} to="/$scope/payments" params={{ scope }} search={{}}>
            <CreditCard aria-hidden size={18} />
            {texts.payments}
          </Link>
        )}
        {may('listPaymentLinks') && (
          <Link className={styles.section} to="/$scope/links" params={{ scope }} search={{}}>
            <LinkIcon aria-hidden size={18} />
            {texts.links}
          </Link>
        )}
        {may('listApiKeys') && (
          <Link className={styles.section} to="/$scope/keys" params={{ scope }} search={{}}>
            <KeyRound aria-hidden size={18} />
            {texts.keys}
          </Link>
        )}
        <Link className={styles.section} to="/$scope/account" params={{ scope }}>
          <UserRound aria-hidden size={18} />
          {texts.account}
        </Link>
      </nav>
      <main id="content" className={styles.content} tabIndex={-1}>
        {children}
      </main>
    </div>
  )
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
