import type { Locale } from '@cobro/look/locales'
import type { ReactNode } from 'react'
import { useMe } from '../../api/use-me.ts'
import { Loading } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { accountTexts } from '../../text/account-texts.ts'
import { useLocale, useTexts } from '../../text/locale.tsx'
import styles from './account.module.css'

/** The user's own account and the language of this browser. */
export function AccountScreen(): ReactNode {
  const texts = useTexts(accountTexts)
  useTitle(texts.title)
  const { locale, choose } = useLocale()
  const { me } = useMe()
  return (
    <>
      <h1>{texts.title}</h1>
      <section className={styles.panel}>
        {me?.user ? (
          <dl className={styles.facts}>
            <dt>{texts.email}</dt>
            <dd>{me.user.email}</dd>
            <dt>{texts.access}</dt>
            <dd>{me.user.access}</dd>
          </dl>
        ) : (
          <Loading rows={2} />
        )}
        <label className={styles.language}>
          {texts.language}
          <select value={locale} onChange={event => choose(event.target.value as Locale)}>
            {Object.entries(texts.languages).map(([code, name]) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </section>
    </>
  )
}
