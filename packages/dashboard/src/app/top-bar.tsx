import { Link } from '@tanstack/react-router'
import { ChevronsUpDown, CircleHelp, LogOut, Search, Terminal } from 'lucide-react'
import { Button } from 'react-aria-components'
import { session } from '../api/browser-session.ts'
import { useMe } from '../api/use-me.ts'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import styles from './bars.module.css'
import type { OverlayProps } from './overlay-name.ts'
import { useListPath } from './use-scope-change.ts'

type TopBarProps = Pick<OverlayProps, 'show'>

/** Whose money it is, and where: it stays in view. */
export function TopBar({ show }: TopBarProps) {
  const texts = useTexts(shellTexts)
  const { me, may } = useMe()
  return (
    <div className={styles.sticky}>
      <header className={styles.top}>
        <span className={styles.brand}>Cobro</span>
        <Scope show={show} />
        {may('listTransactions') && (
          <Button className={styles.find} onPress={() => show('palette')}>
            <Search aria-hidden size={16} />
            <span>{texts.find}</span>
            <kbd>Ctrl K</kbd>
          </Button>
        )}
        {me?.environment === 'sandbox' && <span className={styles.badge}>{texts.sandbox}</span>}
        <Button className={styles.icon} data-wide aria-label={texts.apiCalls} onPress={() => show('calls')}>
          <Terminal aria-hidden size={18} />
        </Button>
        <Button className={styles.icon} aria-label={texts.help} onPress={() => show('help')}>
          <CircleHelp aria-hidden size={18} />
        </Button>
        <Button className={styles.quiet} data-wide onPress={() => void session.logOut()}>
          <LogOut aria-hidden size={16} />
          {texts.logOut}
        </Button>
      </header>
      <ActingBanner />
    </div>
  )
}

/** The merchant's name; operators choose it. */
function Scope({ show }: TopBarProps) {
  const texts = useTexts(shellTexts)
  const { me } = useMe()
  if (me?.kind !== 'operator') return <span className={styles.merchant}>{me?.merchant?.name}</span>
  return (
    <span className={styles.merchant}>
      <Button className={styles.scope} onPress={() => show('merchants')}>
        <span className="visually-hidden">{texts.merchant}: </span>
        <span className={styles.cut}>{me.merchant?.name ?? texts.allMerchants}</span>
        <ChevronsUpDown aria-hidden size={14} />
      </Button>
    </span>
  )
}

/** Reminds an operator of the merchant that it acts for. */
function ActingBanner() {
  const texts = useTexts(shellTexts)
  const { me } = useMe()
  const to = useListPath()
  if (me?.kind !== 'operator' || !me.merchant) return null
  return (
    <p className={styles.acting} role="status">
      <span className={styles.cut}>{texts.actingFor(me.merchant.name)}</span>
      <code>{me.merchant.id}</code>
      <Link to={to} params={{ scope: 'all' }} search={{}}>
        {texts.leave}
      </Link>
    </p>
  )
}
