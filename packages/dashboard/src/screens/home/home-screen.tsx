import { Link, useSearch } from '@tanstack/react-router'
import { memo, type ReactNode, useDeferredValue } from 'react'
import type { Search } from '../../address/search.ts'
import { useMe } from '../../api/use-me.ts'
import detail from '../../parts/detail.module.css'
import listStyles from '../../parts/list.module.css'
import { Loading } from '../../parts/loading.tsx'
import { NoPermission } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { homeTexts } from '../../text/home-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import { Attention } from './attention.tsx'
import { CheckoutPanel } from './checkout-panel.tsx'
import { DeclinesPanel } from './declines-panel.tsx'
import styles from './home.module.css'
import { type PeriodName, periodOf, periods } from './home-period.ts'
import { ApprovalPanel, RefundsPanel, VolumePanel } from './payments-panels.tsx'
import { WebhooksPanel } from './webhooks-panel.tsx'

/** The operations that it shows. */
const reports = ['getPaymentReport', 'getDeclineReport', 'getCheckoutReport', 'getWebhookReport'] as const

/** How the period of the address is going, and what needs attention. Every number leads to the rows behind it. */
export function HomeScreen(): ReactNode {
  const texts = useTexts(homeTexts)
  useTitle(texts.title)
  const { period: named } = useSearch({ strict: false }) as Search
  const { me, may } = useMe()
  // A press that leads here or chooses a period shows that at once; hundreds of bars follow.
  const period = useDeferredValue(periodOf(named))
  const isReady = useDeferredValue(me !== undefined, false)
  return (
    <>
      <header className={listStyles.head}>
        <h1>{texts.title}</h1>
      </header>
      <Periods />
      {!isReady ? (
        <Loading />
      ) : !reports.some(may) ? (
        <NoPermission operation={reports[0]} />
      ) : (
        <Panels period={period} />
      )}
    </>
  )
}

const Panels = memo(({ period }: { period: PeriodName }) => {
  const { may } = useMe()
  return (
    <div className={detail.stack}>
      <Attention period={period} />
      <div className={styles.panels}>
        {may('getPaymentReport') && <VolumePanel period={period} />}
        {may('getPaymentReport') && <ApprovalPanel period={period} />}
        {may('getDeclineReport') && <DeclinesPanel period={period} />}
        {may('getPaymentReport') && <RefundsPanel period={period} />}
        {may('getWebhookReport') && <WebhooksPanel period={period} />}
        {may('getCheckoutReport') && <CheckoutPanel period={period} kind="session" />}
        {may('getCheckoutReport') && <CheckoutPanel period={period} kind="link" />}
      </div>
    </div>
  )
})

function Periods() {
  const texts = useTexts(homeTexts)
  const { scope } = useMe()
  return (
    <nav className={styles.periods} aria-label={texts.periodsLabel}>
      {(Object.keys(periods) as PeriodName[]).map(name => (
        <Link
          key={name}
          className={styles.period}
          to="/$scope"
          params={{ scope }}
          search={name === 'today' ? {} : { period: name }}
          activeOptions={{ exact: true, includeSearch: true }}
        >
          {texts.periods[name]}
        </Link>
      ))}
    </nav>
  )
}
