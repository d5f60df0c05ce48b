import type { ReactNode } from 'react'
import { useMe } from '../../api/use-me.ts'
import detail from '../../parts/detail.module.css'
import { Loading } from '../../parts/loading.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { accountTexts } from '../../text/account-texts.ts'
import { useTexts } from '../../text/locale.tsx'
import styles from './account.module.css'
import { FactorPanel } from './factor-panel.tsx'
import { OwnLoginsPanel } from './own-logins-panel.tsx'
import { PreferencesForm } from './preferences-form.tsx'

/** The user's own account: how it wants to see the dashboard, and how it logs in. */
export function AccountScreen(): ReactNode {
  const texts = useTexts(accountTexts)
  useTitle(texts.title)
  const { me, may } = useMe()
  return (
    <>
      <h1>{texts.title}</h1>
      <div className={detail.stack}>
        <section className={styles.panel}>
          {me?.user ? (
            <>
              <dl className={styles.facts}>
                <dt>{texts.email}</dt>
                <dd>{me.user.email}</dd>
                <dt>{texts.access}</dt>
                <dd>{texts.accesses[me.user.access]}</dd>
              </dl>
              <PreferencesForm />
            </>
          ) : (
            <Loading />
          )}
        </section>
        <div className={`${detail.stack} ${styles.security}`}>
          {may('getFactor') && <FactorPanel />}
          {me?.user && <OwnLoginsPanel email={me.user.email} />}
        </div>
      </div>
    </>
  )
}
