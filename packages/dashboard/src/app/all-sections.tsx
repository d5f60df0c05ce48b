import { LogOut, Terminal } from 'lucide-react'
import { Button, Heading } from 'react-aria-components'
import { session } from '../api/browser-session.ts'
import { useTexts } from '../text/locale.tsx'
import { shellTexts } from '../text/shell-texts.ts'
import styles from './overlays.module.css'
import { SectionLinks } from './section-links.tsx'

interface AllSectionsProps {
  close: () => void
  showCalls: () => void
}

/** What a phone has no room for beside the screen. */
export function AllSections({ close, showCalls }: AllSectionsProps) {
  const texts = useTexts(shellTexts)
  return (
    <>
      <Heading slot="title">{texts.navigation}</Heading>
      <nav className={styles.sections} aria-label={texts.navigation}>
        <SectionLinks follow={close} />
      </nav>
      <div className={styles.sections}>
        <Button className={styles.action} onPress={showCalls}>
          <Terminal aria-hidden size={18} />
          {texts.apiCalls}
        </Button>
        <Button className={styles.action} onPress={() => void session.logOut()}>
          <LogOut aria-hidden size={18} />
          {texts.logOut}
        </Button>
      </div>
    </>
  )
}
