import { Link } from '@tanstack/react-router'
import { useMe } from '../api/use-me.ts'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import { useSections } from './sections.ts'
import styles from './shell.module.css'

/** The sections that the user may see. Where there is no room for their names, they are shown by their marks. */
export function SectionLinks({ follow }: { follow?: () => void }) {
  const texts = useTexts(shellTexts)
  const { scope } = useMe()
  return useSections().map(({ to, text, icon: Icon }) => (
    <Link
      key={to}
      className={styles.section}
      title={texts[text]}
      to={to}
      params={{ scope }}
      search={{}}
      // Every address begins with that of home.
      activeOptions={{ exact: to === '/$scope', includeSearch: false }}
      {...(follow && { onClick: follow })}
    >
      <Icon aria-hidden size={18} />
      <span>{texts[text]}</span>
    </Link>
  ))
}
