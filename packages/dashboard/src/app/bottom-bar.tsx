import { Link } from '@tanstack/react-router'
import { Ellipsis, Plus, Search } from 'lucide-react'
import { Button } from 'react-aria-components'
import { useMe } from '../api/use-me.ts'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import styles from './bars.module.css'
import type { OverlayProps } from './overlay-name.ts'
import { useCreateLink, useSections } from './sections.ts'

/** What people do on a phone, where the thumb is. */
export function BottomBar({ show }: Pick<OverlayProps, 'show'>) {
  const texts = useTexts(shellTexts)
  const { scope, may } = useMe()
  const createLink = useCreateLink()
  const first = useSections().filter(({ text }) => text === 'home' || text === 'payments')
  return (
    <nav className={styles.bottom} aria-label={texts.navigation}>
      {first.map(({ to, text, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          params={{ scope }}
          search={{}}
          activeOptions={{ exact: to === '/$scope', includeSearch: false }}
        >
          <Icon aria-hidden size={20} />
          {texts[text]}
        </Link>
      ))}
      {createLink && (
        <Button onPress={createLink}>
          <Plus aria-hidden size={20} />
          {texts.newLink}
        </Button>
      )}
      {may('listTransactions') && (
        <Button onPress={() => show('palette')}>
          <Search aria-hidden size={20} />
          {texts.find}
        </Button>
      )}
      <Button onPress={() => show('sections')}>
        <Ellipsis aria-hidden size={20} />
        {texts.more}
      </Button>
    </nav>
  )
}
